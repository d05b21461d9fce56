//! The kinds of work that servers are given.

use std::{ffi::OsString, time::Duration};

use crate::{
    Outcome,
    footprint::SESSIONS,
    http, lines,
    message::{Call, Era},
};

/// What a server is asked to do, again and again.
pub(crate) struct Work {
    pub(crate) name: &'static str,
    pub(crate) link: Link,
    pub(crate) era: Era,
    pub(crate) call: Call,
    /// Requests at once: over HTTP each on a connection of its own.
    pub(crate) at_once: usize,
    /// Sessions that are open and idle meanwhile.
    pub(crate) idle: usize,
    /// How many times the CPU time of the floor ours may need.
    pub(crate) limit: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Http,
    Stdio,
}

/// What it cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// CPU time of the server for one request, in microseconds.
    pub(crate) cpu: f64,
    pub(crate) per_second: f64,
    /// Microseconds that half of the answers took; not a number where requests do not follow answers.
    pub(crate) median: f64,
    /// The same for all but one in a hundred.
    pub(crate) slow: f64,
}

impl Work {
    /// Whether it is the other kind of work but for the idle sessions.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        let kind = |it: &Self| (it.link, it.era, it.call, it.at_once);
        self.idle > 0 && other.idle == 0 && kind(self) == kind(other)
    }

    pub(crate) async fn run(&'static self, command: &[OsString], time: Duration) -> Outcome<Cost> {
        match self.link {
            Link::Http => http::load(self, command, time).await,
            Link::Stdio => lines::load(self, command, time).await,
        }
    }
}

pub(crate) const WORKS: &[Work] = &[
    Work {
        name: "HTTP, session, 100 B",
        link: Link::Http,
        era: Era::Legacy,
        call: Call::Echo(100),
        at_once: 32,
        idle: 0,
        limit: 1.8,
    },
    Work {
        name: "HTTP, session, 100 B, beside 10,000 idle sessions",
        link: Link::Http,
        era: Era::Legacy,
        call: Call::Echo(100),
        at_once: 32,
        idle: SESSIONS,
        limit: 1.8,
    },
    Work {
        name: "HTTP, session, 64 KiB",
        link: Link::Http,
        era: Era::Legacy,
        call: Call::Echo(65536),
        at_once: 32,
        idle: 0,
        limit: 1.2,
    },
    Work {
        name: "HTTP, modern, 100 B",
        link: Link::Http,
        era: Era::Modern,
        call: Call::Echo(100),
        at_once: 32,
        idle: 0,
        limit: 1.8,
    },
    Work {
        name: "HTTP, modern, 64 KiB",
        link: Link::Http,
        era: Era::Modern,
        call: Call::Echo(65536),
        at_once: 32,
        idle: 0,
        limit: 1.2,
    },
    Work {
        name: "HTTP, tools/list, 1,000 tools",
        link: Link::Http,
        era: Era::Modern,
        call: Call::List(1000),
        at_once: 8,
        idle: 0,
        limit: 1.2,
    },
    Work {
        name: "stdio, pipelined, 100 B",
        link: Link::Stdio,
        era: Era::Legacy,
        call: Call::Echo(100),
        at_once: 64,
        idle: 0,
        limit: 5.0,
    },
    Work {
        name: "stdio, one at a time, 100 B",
        link: Link::Stdio,
        era: Era::Legacy,
        call: Call::Echo(100),
        at_once: 1,
        idle: 0,
        limit: 1.6,
    },
];
