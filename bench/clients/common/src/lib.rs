//! What the clients share that are measured: whom they call, and how they are told to.
//!
//! A client is started with `http legacy|modern URL` or `stdio legacy|modern COMMAND…`. It connects, and says `ready`. For each line
//! `AT_ONCE SECONDS` on its input it calls `echo` for so long, so many times at once, and says how many calls were answered, and within how
//! many microseconds half of them were, and all but one in a hundred.

use std::{
    env,
    error::Error,
    io::{self, BufRead, Write},
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{runtime, task::JoinSet};

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A server, and what to speak with it.
#[derive(Debug)]
pub struct Target {
    pub era: Era,
    pub link: Link,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    Legacy,
    Modern,
}

#[derive(Debug)]
pub enum Link {
    Http(String),
    Stdio { program: String, arguments: Vec<String> },
}

/// A connection to a server.
pub trait Caller: Send + Sync + 'static {
    /// Calls `echo` with this message, and returns the text that comes back.
    fn echo(&self, message: &str) -> impl Future<Output = Outcome<String>> + Send;
}

/// Connects, and calls as it is told until the input ends. All threads of the machine are there for it, as they are by default.
pub fn run<C: Caller, F: Future<Output = Outcome<C>>>(
    connect: impl FnOnce(Target) -> F,
) -> Outcome<()> {
    let target = Target::from_words(env::args().skip(1))?;
    let runtime = runtime::Builder::new_multi_thread().enable_all().build()?;
    let caller = Arc::new(runtime.block_on(connect(target))?);
    say("ready")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (at_once, seconds) = line.split_once(' ').ok_or("not AT_ONCE SECONDS")?;
        let time = Duration::from_secs_f64(seconds.parse()?);
        let mut took = runtime.block_on(calls(&caller, at_once.parse()?, time))?;
        took.sort_unstable();
        let within =
            |percent: usize| took.get(took.len() * percent / 100).map_or(0, Duration::as_micros);
        say(&format!("{} {} {}", took.len(), within(50), within(99)))?;
    }
    Ok(())
}

async fn calls<C: Caller>(
    caller: &Arc<C>,
    at_once: usize,
    time: Duration,
) -> Outcome<Vec<Duration>> {
    let mut callers = JoinSet::new();
    let end = Instant::now() + time;
    for _ in 0..at_once {
        let caller = Arc::clone(caller);
        callers.spawn(async move {
            let mut took = Vec::new();
            while Instant::now() < end {
                let asked = Instant::now();
                if caller.echo(MESSAGE).await? != MESSAGE {
                    return Err("an answer to something else".into());
                }
                took.push(asked.elapsed());
            }
            Outcome::Ok(took)
        });
    }
    let mut all = Vec::new();
    while let Some(took) = callers.join_next().await {
        all.extend(took??);
    }
    Ok(all)
}

impl Target {
    fn from_words(mut words: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut word = || words.next().ok_or(USAGE);
        let (link, era, first) = (word()?, word()?, word()?);
        let era = match era.as_str() {
            "legacy" => Era::Legacy,
            "modern" => Era::Modern,
            _ => return Err(USAGE.into()),
        };
        let link = match link.as_str() {
            "http" => Link::Http(first),
            "stdio" => Link::Stdio { program: first, arguments: words.collect() },
            _ => return Err(USAGE.into()),
        };
        Ok(Self { era, link })
    }
}

fn say(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}

const USAGE: &str = "usage: http legacy|modern URL | stdio legacy|modern COMMAND…";
/// A hundred bytes.
const MESSAGE: &str = "the quick brown fox jumps over the lazy dog and then tells everyone about it, again and over again..";
