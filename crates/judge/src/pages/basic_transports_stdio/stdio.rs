//! `basic/transports/stdio`: `#stdio`, `#backward-compatibility`.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        client::{falls_back, hosted_at, is_dual, modern, probes},
        envelope::is_response,
        shape::doubtful,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each, offered},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{hosted::HostedScenario, mutation::Mutation};
use proofmark_core::revision::Revision::{
    V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use proofmark_record::{
    event::{Border, Event, EventKind, Frame},
    evidence::{Answer, Evidence, Place},
    text::excerpt,
};
use serde_json::{Value, json};

pub(super) const M012: Requirement = Requirement {
    id: "M012",
    name: "client-starts-server-child-process",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "The client starts the server as its child process (descriptive in the official text).",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::Unobservable(
        "a client that does not start its server is never met over a pipe",
    ),
};

pub(super) const M013: Requirement = Requirement {
    id: "M013",
    name: "server-takes-messages-from-stdin-puts",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "The server takes messages from stdin and puts its messages on stdout.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::By(&M013_CHECK),
};

const M013_CHECK: Check = Check {
    how: "writes initialize to the server's input and waits at its output, in every conversation",
    seen: seen_everywhere(),
    fix: "read messages from standard input and write messages to standard output",
    judge: |evidence| {
        let conversations = evidence.conversations.iter().enumerate();
        let addressed = conversations.filter_map(|(conversation, it)| {
            let sent = |event: &Event| matches!(event.kind, EventKind::Sent { .. });
            let event = it.events.iter().position(sent)?;
            Some((Place { conversation, event }, it))
        });
        if let Some((place, actual)) = framed_input(evidence).or_else(|| misdirected(evidence)) {
            let expected = "messages on lines of standard input, answered on standard output";
            return Outcome::Broken(Finding::new(expected, actual, place));
        }
        // It has answered before; whether it is slow or deaf now cannot be told.
        doubtful(each(addressed, "no server was started", |(place, conversation)| {
            let speaks = |event: &Event| matches!(event.kind, EventKind::Received { .. });
            (!conversation.events.iter().any(speaks)).then(|| {
                let expected = "an answer on standard output";
                Finding::new(expected, "nothing at all", place)
            })
        }))
    },
    mutants: &[Mutant::new(
        "does not read its input",
        Mutation::Hears(|message| {
            (message["params"]["protocolVersion"] == "2024-11-05").then(Vec::new)
        }),
    )],
};

pub(super) const M014: Requirement = Requirement {
    id: "M014",
    name: "each-stdio-message-ended-by-newline",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "Each stdio message is ended by a newline.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::Each {
        server: &Observed::By(&M014_SERVER),
        client: &Observed::By(&M014_CLIENT),
    },
};

const M014_SERVER: Check = Check {
    how: "closes the server's input and looks at how its output ends",
    seen: seen_everywhere(),
    fix: "end each message with a newline, the last one too",
    judge: |evidence| {
        each(lines(evidence), NOTHING, |(place, frame)| {
            matches!(frame.border, Border::Cut | Border::Unended)
                .then(|| Finding::new("a newline at the end", excerpt(&frame.bytes), place))
        })
    },
    mutants: &[
        Mutant::new(
            "does not end its last line",
            Mutation::Line(|text| {
                let ending = if is_last(text) { "" } else { "\n" };
                format!("{text}{ending}").into_bytes()
            }),
        ),
        Mutant::new("ends no line", Mutation::Line(|text| text.as_bytes().to_vec())),
        Mutant::new(
            "ends its lines with carriage returns",
            Mutation::Line(|text| format!("{text}\r").into_bytes()),
        ),
    ],
};

const M014_CLIENT: Check = Check {
    how: "looks at how the client's last line ends",
    seen: seen_everywhere(),
    fix: M014_SERVER.fix,
    judge: M014_SERVER.judge,
    mutants: &[Mutant::new(
        "does not end its last line",
        Mutation::Farewell(Some("{\"jsonrpc\":\"2.0\"")),
    )
    .also(&["M017"])],
};

pub(super) const M015: Requirement = Requirement {
    id: "M015",
    name: "serialised-stdio-message-no-newline-inside",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "A serialised stdio message has no newline inside it.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::Each {
        server: &Observed::By(&M015_SERVER),
        client: &Observed::By(&M015_CLIENT),
    },
};

const M015_SERVER: Check = Check {
    how: "puts lines that are no JSON together to see whether they are a message",
    seen: seen_everywhere(),
    fix: "write each message on one line",
    judge: |evidence| {
        let lines: Vec<_> = lines(evidence).collect();
        each(lines.iter().enumerate(), NOTHING, |(index, (place, frame))| {
            let spread = frame.border == Border::Lines
                || (frame.json.is_err() && begins_a_message(&lines[index..], *place));
            spread.then(|| Finding::new("a message on one line", excerpt(&frame.bytes), *place))
        })
    },
    mutants: &[
        Mutant::new(
            "spreads a message over several lines",
            Mutation::Line(|text| {
                let spread =
                    if is_last(text) { text.replacen(',', ",\n", 1) } else { text.to_owned() };
                format!("{spread}\n").into_bytes()
            }),
        ),
        Mutant::new("prints its messages for people", Mutation::Line(indented)),
    ],
};

const M015_CLIENT: Check = Check {
    how: M015_SERVER.how,
    seen: seen_everywhere(),
    fix: M015_SERVER.fix,
    judge: M015_SERVER.judge,
    mutants: &[
        Mutant::new(
            "spreads a message over several lines",
            Mutation::Line(|text| {
                let spread = if is_last_stdio(text) {
                    text.replacen(',', ",\n", 1)
                } else {
                    text.to_owned()
                };
                format!("{spread}\n").into_bytes()
            }),
        ),
        Mutant::new("prints its messages for people", Mutation::Line(indented)),
    ],
};

pub(super) const M016: Requirement = Requirement {
    id: "M016",
    name: "stdout-carries-nothing-except-valid-mcp",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "stdout carries nothing except valid MCP messages.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::By(&M016_CHECK),
};

const M016_CHECK: Check = Check {
    how: "looks at every line of the server's output",
    seen: seen_everywhere(),
    fix: "write logs to standard error and nothing but messages to standard output: no header, no byte order mark, no greeting",
    judge: |evidence| {
        each(lines(evidence), NOTHING, |(place, frame)| {
            let expected = "nothing but messages, each on a line of its own";
            if frame.border == Border::Length {
                let said = excerpt(&frame.bytes);
                let actual = format!("a Content-Length header in front of the message {said}");
                return Some(Finding::new(expected, actual, place));
            }
            if frame.has_byte_order_mark() {
                let actual = "a byte order mark in front of the message, which JSON must not have";
                return Some(Finding::new(expected, actual, place));
            }
            let message = frame.json.as_ref().is_ok_and(|json| json.is_object() || json.is_array());
            // Where there is a rule of its own for that, M154, it is not for this one.
            let readable = frame.is_utf_8() || since(V2025_03_26).contains(evidence.revision);
            (!message || !readable).then(|| Finding::new(expected, excerpt(&frame.bytes), place))
        })
    },
    mutants: &[
        Mutant::new(
            "logs to standard output",
            Mutation::Line(|text| {
                let junk = if is_last(text) { "DEBUG answering a ping\n" } else { "" };
                format!("{junk}{text}\n").into_bytes()
            }),
        ),
        Mutant::new("has a Content-Length in front of its messages", Mutation::Line(framed)),
        Mutant::new("begins with a byte order mark", Mutation::Line(marked)),
    ],
};

pub(super) const M017: Requirement = Requirement {
    id: "M017",
    name: "client-feeds-server-stdin-nothing-except",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "The client feeds the server's stdin nothing except valid MCP messages.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::By(&M017_CHECK),
};

const M017_CHECK: Check = Check {
    how: "looks at every line that the client writes to the server's input",
    seen: seen_everywhere(),
    fix: "write nothing but messages to the server's input: no header, no byte order mark, no greeting",
    judge: M016_CHECK.judge,
    mutants: &[
        Mutant::new(
            "greets the server",
            Mutation::Line(|text| {
                let junk = if is_last_stdio(text) { "hello\n" } else { "" };
                format!("{junk}{text}\n").into_bytes()
            }),
        ),
        Mutant::new("has a Content-Length in front of its messages", Mutation::Line(framed)),
        Mutant::new("begins with a byte order mark", Mutation::Line(marked)),
    ],
};

pub(super) const M164: Requirement = Requirement {
    id: "M164",
    name: "stdio-line-one-message-never-array",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Stdio,
    span: since(V2025_06_18),
    text: "A stdio line is one message, never an array (batching is gone since 2025-06-18).",
    section: "docs/specification/{2025-06-18..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::Each {
        server: &Observed::By(&M164_SERVER),
        client: &Observed::By(&M164_CLIENT),
    },
};

const M164_SERVER: Check = Check {
    how: "looks at every line of the server's output",
    seen: seen_everywhere(),
    fix: "write each message on a line of its own; batches are gone",
    judge: |evidence| {
        each(lines(evidence), NOTHING, |(place, frame)| {
            frame
                .json
                .as_ref()
                .is_ok_and(Value::is_array)
                .then(|| Finding::new("one message", excerpt(&frame.bytes), place))
        })
    },
    mutants: &[Mutant::new(
        "answers in batches",
        Mutation::Line(|text| {
            let line = if is_last(text) { format!("[{text}]") } else { text.to_owned() };
            format!("{line}\n").into_bytes()
        }),
    )],
};

const M164_CLIENT: Check = Check {
    how: M164_SERVER.how,
    seen: seen_everywhere(),
    fix: M164_SERVER.fix,
    judge: M164_SERVER.judge,
    mutants: &[Mutant::new(
        "answers in batches",
        Mutation::Line(|text| {
            let line = if is_last_stdio(text) { format!("[{text}]") } else { text.to_owned() };
            format!("{line}\n").into_bytes()
        }),
    )],
};

pub(super) const S062: Requirement = Requirement {
    id: "S062",
    name: "client-does-not-read-stderr-output-error",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2025_11_25),
    text: "The client does not read stderr output as an error.",
    section: "docs/specification/2025-11-25/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::Unobservable(
        "what a client makes of standard error is between it and its user",
    ),
};

pub(super) const A004: Requirement = Requirement {
    id: "A004",
    name: "server-may-write-utf-8-text-stderr-logging",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "The server may write UTF-8 text to stderr for logging.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::By(&A004_CHECK),
};

const A004_CHECK: Check = Check {
    how: "listens to standard error, too",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.events(), "logs on standard error", |(_, event)| {
            matches!(event.kind, EventKind::Stderr(_))
        })
    },
    mutants: &[Mutant::new("mutters on standard error", Mutation::Mutters("ready"))],
};

pub(super) const A049: Requirement = Requirement {
    id: "A049",
    name: "client-may-capture-forward-or-drop-stderr",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2024_11_05),
    text: "The client may capture, forward or drop stderr.",
    section: "docs/specification/{2024-11-05..2025-11-25}/basic/transports.mdx#stdio ; docs/specification/2026-07-28/basic/transports/stdio.mdx",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

pub(super) const M153: Requirement = Requirement {
    id: "M153",
    name: "fallback-initialize-does-not-hinge-on-one",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "The fallback to initialize does not hinge on one particular error code.",
    section: "docs/specification/2026-07-28/basic/transports/stdio.mdx#backward-compatibility",
    observed: Observed::By(&M153_CHECK),
};

const M153_CHECK: Check = Check {
    how: "refuses server/discover with several codes, as servers of the handshake era do",
    seen: seen_in(&["hosted older code -32602"]).momentary(),
    fix: "try initialize after any error that no server of the newer era would give",
    judge: |evidence| {
        let refused = modern(evidence).filter(|it| {
            let older = hosted_at(evidence, it.place)
                .is_some_and(|it| it.name == HostedScenario::OLDER.name);
            older && it.answer.is_some()
        });
        let refused: Vec<_> = refused.collect();
        if !refused.iter().any(|it| falls_back(evidence, it)) {
            return Outcome::NotApplicable("the client never falls back to initialize".to_owned());
        }
        each(refused.iter(), "", |request| {
            let code = request.answer.and_then(Answer::code)?;
            let expected = format!("initialize after the error {code}, as after others");
            (!falls_back(evidence, request))
                .then(|| Finding::new(expected, "no initialize", request.place))
        })
    },
    mutants: &[Mutant::new(
        "falls back after one code only",
        Mutation::Hears(|message| {
            let odd = [-32602, -32000].iter().any(|code| message["error"]["code"] == *code);
            let probing = message["error"]["message"] != "this cursor has expired";
            (odd && probing).then(Vec::new)
        }),
    )],
};

pub(super) const S058: Requirement = Requirement {
    id: "S058",
    name: "client-only-speaks-per-request-versions",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Stdio,
    span: since(V2026_07_28),
    text: "A client that only speaks per-request versions still probes a stdio server with server/discover.",
    section: "docs/specification/2026-07-28/basic/versioning.mdx#compatibility-matrix ; docs/specification/2026-07-28/basic/transports/stdio.mdx#backward-compatibility",
    observed: Observed::By(&S058_CHECK),
};

const S058_CHECK: Check = Check {
    how: "looks at the first request of a client that never sends initialize",
    seen: seen_in(&["hosted behave"]),
    fix: "ask server/discover first, so that an old server fails in a way that can be told",
    judge: |evidence| {
        if is_dual(evidence) {
            return Outcome::NotApplicable("the client knows handshakes too".to_owned());
        }
        probes(evidence, |_| true)
    },
    mutants: &[Mutant::new(
        "knows nothing older, and does not ask first",
        Mutation::Writes(|_, message| match message["method"].as_str() {
            Some("initialize") => Vec::new(),
            Some("server/discover") => {
                let mut message = message.clone();
                message["method"] = json!("tools/list");
                vec![message.to_string()]
            }
            _ => vec![message.to_string()],
        }),
    )
    .also(&["M497", "S234", "S284"])],
};

fn lines(evidence: &Evidence) -> impl Iterator<Item = (Place, &Frame)> {
    evidence.frames().filter(|(_, frame)| frame.border.is_of_pipe())
}

/// Where the checker had to write as the Language Server Protocol has it to be understood.
fn framed_input(evidence: &Evidence) -> Option<(Place, String)> {
    evidence.events().find_map(|(place, event)| match &event.kind {
        EventKind::Sent { frame, .. } if frame.border == Border::Length => Some((
            place,
            "a line is not answered, only what has a Content-Length header in front".to_owned(),
        )),
        _ => None,
    })
}

/// An answer on standard error of a server that says nothing on standard output.
fn misdirected(evidence: &Evidence) -> Option<(Place, String)> {
    let speaks = |event: &Event| matches!(event.kind, EventKind::Received { .. });
    let is_mute =
        |place: Place| !evidence.conversations[place.conversation].events.iter().any(speaks);
    evidence.events().find_map(|(place, event)| match &event.kind {
        EventKind::Stderr(line) if is_response_on_stderr(line) && is_mute(place) => {
            Some((place, format!("an answer on standard error: {}", excerpt(line.as_bytes()))))
        }
        _ => None,
    })
}

/// Whether this line and some of those after it are one JSON object.
fn begins_a_message(lines: &[(Place, &Frame)], first: Place) -> bool {
    let mut text = Vec::new();
    let following = lines.iter().take_while(|(place, _)| place.conversation == first.conversation);
    following.take(MOST_LINES).any(|(_, frame)| {
        text.extend_from_slice(&frame.bytes);
        text.push(b'\n');
        serde_json::from_slice::<Value>(&text).is_ok_and(|value| value.is_object())
    })
}

fn is_response_on_stderr(line: &str) -> bool {
    serde_json::from_str::<Value>(line)
        .is_ok_and(|it| it.get("jsonrpc").is_some() && is_response(&it))
}

fn indented(text: &str) -> Vec<u8> {
    let message: Value = serde_json::from_str(text).unwrap_or_default();
    format!("{message:#}\n").into_bytes()
}

/// As the Language Server Protocol has it.
fn framed(text: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

fn marked(text: &str) -> Vec<u8> {
    format!("\u{feff}{text}\n").into_bytes()
}

/// The answer to the last ping of the tour.
fn is_last(text: &str) -> bool {
    text.contains("\"last-ping\"")
}

/// The answer to the last ping.
fn is_last_stdio(text: &str) -> bool {
    text.contains("\"last-ping\"")
}

const NOTHING: &str = "the server wrote nothing";

/// Of one message that was spread.
const MOST_LINES: usize = 200;
