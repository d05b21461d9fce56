//! Clients that call the same server, and what a call costs them.

use std::{ffi::OsString, time::Duration};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{ChildStdin, ChildStdout},
};

use crate::{
    Outcome,
    message::Era,
    placement::OneProcessor,
    process::Process,
    work::{Cost, Link},
};

/// What a client is told to do.
pub(crate) struct Calls {
    pub(crate) name: &'static str,
    pub(crate) link: Link,
    pub(crate) era: Era,
    /// The server that is called.
    pub(crate) server: &'static str,
    pub(crate) at_once: usize,
    pub(crate) place: Place,
}

/// On which processors a client and its server run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where the system puts them.
    Any,
    /// Both on the same one.
    One,
}

impl Calls {
    pub(crate) async fn run(
        &self,
        client: &[OsString],
        server: &[OsString],
        time: Duration,
    ) -> Outcome<Cost> {
        let mut words = client.to_vec();
        let era = match self.era {
            Era::Legacy => "legacy",
            Era::Modern => "modern",
        };
        let place = (self.place == Place::One).then(OneProcessor::take).transpose()?;
        let _server = match self.link {
            Link::Http => {
                let (process, port) = Process::listening(server, 0).await?;
                words.extend(["http".into(), era.into()]);
                words.push(format!("http://127.0.0.1:{port}/mcp").into());
                Some(process)
            }
            Link::Stdio => {
                words.extend(["stdio".into(), era.into()]);
                words.extend_from_slice(server);
                None
            }
        };
        let (process, input, output) = Process::piped(&words, 0)?;
        drop(place);
        let mut client = Client { input, output: BufReader::new(output).lines() };
        if client.line().await? != "ready" {
            return Err("the client is not ready".into());
        }
        client.call(self.at_once, time.mul_f64(WARM_UP)).await?;
        let cpu = process.cpu()?;
        let [count, median, slow] = client.call(self.at_once, time).await?;
        let cpu = process.cpu()?.saturating_sub(cpu);
        if count == 0.0 {
            return Err("nothing is answered".into());
        }
        Ok(Cost {
            cpu: cpu.as_secs_f64() * 1e6 / count,
            per_second: count / time.as_secs_f64(),
            median,
            slow,
        })
    }
}

struct Client {
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Client {
    /// Has it call for a time. How many calls were answered, and within how many microseconds half and almost all were.
    async fn call(&mut self, at_once: usize, time: Duration) -> Outcome<[f64; 3]> {
        let order = format!("{at_once} {}\n", time.as_secs_f64());
        self.input.write_all(order.as_bytes()).await?;
        let line = self.line().await?;
        let figures: Result<Vec<f64>, _> = line.split(' ').map(str::parse).collect();
        figures?.try_into().map_err(|_| format!("not three figures: {line}").into())
    }

    async fn line(&mut self) -> Outcome<String> {
        self.output.next_line().await?.ok_or_else(|| "the client gave up".into())
    }
}

/// The part of rmcp's CPU time that ours may need.
pub(crate) const LIMIT: f64 = 0.5;

/// A call that takes as long as this, in microseconds, waits for an acknowledgement that a peer delays, which is `TCP_NODELAY` forgotten.
pub(crate) const DELAYED: f64 = 40_000.0;

pub(crate) const CALLS: &[Calls] = &[
    Calls {
        name: "client, HTTP, session, one at a time",
        link: Link::Http,
        era: Era::Legacy,
        server: "ours",
        at_once: 1,
        place: Place::Any,
    },
    Calls {
        name: "client, HTTP, session, 16 at once",
        link: Link::Http,
        era: Era::Legacy,
        server: "ours",
        at_once: 16,
        place: Place::Any,
    },
    Calls {
        name: "client, HTTP, session, answers in streams, one at a time",
        link: Link::Http,
        era: Era::Legacy,
        server: "rmcp",
        at_once: 1,
        place: Place::Any,
    },
    Calls {
        name: "client, HTTP, modern, one at a time",
        link: Link::Http,
        era: Era::Modern,
        server: "ours",
        at_once: 1,
        place: Place::Any,
    },
    Calls {
        name: "client, HTTP, modern, 16 at once",
        link: Link::Http,
        era: Era::Modern,
        server: "ours",
        at_once: 16,
        place: Place::Any,
    },
    Calls {
        name: "client, stdio, one at a time",
        link: Link::Stdio,
        era: Era::Legacy,
        server: "ours",
        at_once: 1,
        place: Place::Any,
    },
    Calls {
        name: "client, stdio, one at a time, on one processor",
        link: Link::Stdio,
        era: Era::Legacy,
        server: "ours",
        at_once: 1,
        place: Place::One,
    },
    Calls {
        name: "client, stdio, 16 at once",
        link: Link::Stdio,
        era: Era::Legacy,
        server: "ours",
        at_once: 16,
        place: Place::Any,
    },
];

/// The part of the time that is let pass before measuring.
const WARM_UP: f64 = 0.3;
