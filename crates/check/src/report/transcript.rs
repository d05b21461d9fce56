//! One line for each event of a run.

use proofmark_record::{
    event::{Border, Event, EventKind},
    side::Side,
    text::{excerpt_of, plain},
    topic::Topic,
};

/// Not yet escaped for any markup, but without anything that a terminal would obey.
pub(super) fn line(side: Side, event: &Event) -> String {
    // Requests go to servers and come from clients.
    let (asks, answers) = match side {
        Side::Client => ("←", "→"),
        Side::Authorization | Side::Server => ("→", "←"),
    };
    let text = match &event.kind {
        EventKind::Connected(how) => plain(how),
        EventKind::Sent { frame, .. } => format!("→ {}", excerpt_of(&frame.bytes, LONGEST)),
        EventKind::Received { frame, .. } => {
            let border = match &frame.border {
                Border::Event { name, id: Some(id), .. } => {
                    format!("[{} {}] ", plain(name), plain(id))
                }
                Border::Event { name, .. } => format!("[{}] ", plain(name)),
                Border::Cut => "[cut] ".to_owned(),
                Border::Length => "[behind Content-Length] ".to_owned(),
                Border::Unended => "[no newline] ".to_owned(),
                Border::Body | Border::Line | Border::Lines => String::new(),
            };
            format!("← {border}{}", excerpt_of(&frame.bytes, LONGEST))
        }
        EventKind::Requested { topic: Topic::DocumentFetch, line, .. } => {
            format!("← {}", plain(line))
        }
        EventKind::Requested { line, exchange, .. } => {
            format!("{asks} #{exchange} {}", plain(line))
        }
        EventKind::Responded { status, exchange, .. } => {
            format!("{answers} #{exchange} status {status}")
        }
        EventKind::Ended { exchange } => format!("{answers} #{exchange} the end"),
        EventKind::Left { exchange } => format!("← #{exchange} closed by the client"),
        EventKind::Broken { exchange, why } => format!("← #{exchange} broke: {}", plain(why)),
        EventKind::Silence(time) => format!("… {} ms of silence", time.as_millis()),
        EventKind::Flooded { limit } => format!("← more than {limit} bytes"),
        EventKind::Stderr(line) => format!("stderr: {}", plain(line)),
        EventKind::Exited(how) => format!("the process ended: {}", plain(how)),
    };
    format!("{:>7} ms  {text}", event.at.as_millis())
}

/// Characters of one message.
const LONGEST: usize = 2000;
