//! Whatever a client, its handlers and the clock do, a server's session answers each request once and forgets nothing and nobody.
//!
//! The input is a script, one event on each line, named by its first character:
//!
//! | line | event |
//! |---|---|
//! | `oN` | only as the first line: which server it is, as `offer.rs` numbers them |
//! | `>JSON` | a frame arrives |
//! | `rN K` `eN` `qN` | the N-th running handler ends: with a result of kind K, with an error, with a question |
//! | `pN X` | it reports progress X |
//! | `lN L` | it logs at level L |
//! | `aN K` | it asks the client something of kind K; N beyond the last asks for nobody |
//! | `wN` | the N-th open question is withdrawn |
//! | `cK URI` | something of kind K changes |
//! | `dN` | the connection of the N-th running request is gone |
//! | `tN` | N seconds pass |
//! | `s` `i` `x` | subscriptions end, input ends, everything ends |

mod client;
mod driver;
mod offer;

use self::driver::Driver;
use super::words::Words;

pub fn run(data: &[u8]) {
    let mut lines = data.split(|&byte| byte == b'\n').take(LONGEST_SCRIPT).peekable();
    let choice = lines.next_if(|line| line.first() == Some(&b'o'));
    let choice = choice.map_or(0, |line| Words::of(&line[1..]).number());
    let mut driver = Driver::new(offer::of(choice));
    for line in lines {
        let Some((&name, rest)) = line.split_first() else { continue };
        if driver.is_over() {
            break;
        }
        driver.play(name, rest);
    }
    driver.end();
}

/// In lines; more teach the fuzzer nothing and cost it time.
const LONGEST_SCRIPT: usize = 200;
