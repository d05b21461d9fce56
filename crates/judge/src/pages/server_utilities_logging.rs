//! The requirements of `server/utilities/logging`, how each is judged, and the mutants that prove it.

use crate::requirement::{seen_everywhere, seen_in};
use crate::{
    common::{
        capabilities::{hides, notifies_only_if_declared, remove},
        log_levels::{level_at, open_requests, rank},
        optional_features::{ALLOWED, LOG as LOG_OFFERS, silent_about, told},
        resources::is_empty,
        shape::{doubtful, refused, show, undeclared},
        stream_routing::sent_in,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, all_of, each, offered},
    requirement::{Check, Level, Observed, Page, Party, Requirement, Transports, between, since},
};
use proofmark_converse::{
    mutation::{Context, Mutation, result_of},
    scenario::Scenario,
};
use proofmark_core::revision::Revision::{V2024_11_05, V2025_11_25, V2026_07_28};
use proofmark_record::{
    event::EventKind,
    evidence::{CheckerRequest, Evidence, HttpExchange, Place},
    meta::LOG_LEVEL,
    topic::Topic,
    transport::Transport,
};
use serde_json::{Value, json};

pub(super) const PAGE: Page = Page {
    name: "server/utilities/logging",
    why: "Logs go to whoever runs the client: at the level that was asked for, in levels that mean the same everywhere, without secrets.",
    requirements: &[
        &M087, &M487, &M489, &M490, &M491, &M492, &S271, &S272, &S273, &S274, &S275, &S276, &S277,
        &S278, &S279, &S280, &A139, &A141, &A142,
    ],
};

const M087: Requirement = Requirement {
    id: "M087",
    name: "server-emits-log-messages-declares-logging",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "A server that emits log messages declares the logging capability.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#capabilities",
    observed: Observed::By(&M087_CHECK),
};

const M087_CHECK: Check = Check {
    how: "looks for log messages in every conversation",
    seen: seen_everywhere(),
    fix: "declare the logging capability, or do not send notifications/message",
    judge: |evidence| notifies_only_if_declared(evidence, "/logging", "notifications/message"),
    mutants: &[hides("logs without declaring it", |context, message| {
        remove(context, message, "/logging", None);
    })],
};

const M487: Requirement = Requirement {
    id: "M487",
    name: "logging-setlevel-returns-empty-result-only",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "logging/setLevel returns an empty result, and only that level and above is sent afterwards (descriptive in the text).",
    section: "docs/specification/{2024-11-05..2025-11-25}/server/utilities/logging.mdx#message-flow ; schema/{2024-11-05..2025-11-25}/schema.ts#SetLevelRequest",
    observed: Observed::By(&M487_CHECK),
};

const M487_CHECK: Check = Check {
    how: "sets every log level, up and down, and looks at what is logged then",
    seen: seen_in(&["levels", "tour"]),
    fix: "answer logging/setLevel with {}, and send nothing below the level that was set last",
    judge: |evidence| {
        if let Some(outcome) = undeclared(evidence, "logging") {
            return outcome;
        }
        let answered = each(evidence.asked(Topic::SetLevel), "no level was set", |asked| {
            let Some(answer) = asked.answer else {
                return Some(Finding::new("an empty result", "no answer", asked.place));
            };
            let empty = answer.result().is_some_and(is_empty);
            (!empty).then(|| Finding::new("an empty result", show(answer.message), answer.place))
        });
        // A server over HTTP that has no sessions has nothing to remember a level by.
        let has_session = |it: HttpExchange<'_>| it.header("mcp-session-id").is_some();
        if evidence.transport == Transport::Http && !evidence.exchanges().any(has_session) {
            return answered;
        }
        let levels: Vec<_> = evidence.asked(Topic::SetLevel).collect();
        let heeded = each(evidence.told("notifications/message"), "", |heard| {
            let level = level_at(evidence, &levels, heard.place)?;
            let said = rank(heard.message["params"]["level"].as_str()?)?;
            let expected = format!("nothing below {level}, the level that was set last");
            (said < rank(level)?).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        all_of([answered, heeded])
    },
    mutants: &[
        below("logs below the level that was set", |context, message| {
            debugging(context.params["level"] == "notice", message)
        }),
        below("forgets the level when it has changed often", |_, message| {
            debugging(message["id"] == Scenario::LAST_LEVEL, message)
        }),
        below("logs more in emergencies", |context, message| {
            debugging(context.params["level"] == "emergency", message)
        }),
        Mutant::new(
            "heeds no level but debug",
            Mutation::Hears(|message| {
                let ignored = message["method"] == "logging/setLevel"
                    && message["params"]["level"].as_str().is_some_and(|it| it != "debug");
                ignored.then(|| {
                    let done = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} });
                    vec![done.to_string()]
                })
            }),
        )
        .also(&["S271"]),
        Mutant::new(
            "confirms the level in words",
            Mutation::Says(|context, message| {
                if let Some(result) = result_of(context, message, "logging/setLevel") {
                    *result = json!({ "level": "debug" });
                }
            }),
        ),
    ],
};

const fn below(name: &'static str, writes: fn(&Context<'_>, &Value) -> Vec<String>) -> Mutant {
    Mutant::new(name, Mutation::Writes(writes))
}

/// The message, and perhaps something for debugging after it.
fn debugging(is_it: bool, message: &Value) -> Vec<String> {
    let log = json!({ "jsonrpc": "2.0", "method": "notifications/message",
        "params": { "level": "debug", "data": "a word" } });
    let mut texts = vec![message.to_string()];
    texts.extend(is_it.then(|| log.to_string()));
    texts
}

const M489: Requirement = Requirement {
    id: "M489",
    name: "request-without-loglevel-produces-no-log",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "A request without logLevel produces no log notification.",
    section: "docs/specification/2026-07-28/server/utilities/logging.mdx#per-request-log-level ; schema/2026-07-28/schema.ts#RequestMetaObject",
    observed: Observed::By(&M489_CHECK),
};

const M489_CHECK: Check = Check {
    how: "calls what logs, without asking for logs, also after calls that asked for them",
    seen: seen_in(&["bare", "levels"]),
    fix: "log only for requests that name a logLevel",
    judge: |evidence| logged(evidence, Topic::QuietCall, |_, _| false),
    mutants: &[Mutant::new(
        "logs unasked",
        Mutation::Writes(|context, message| {
            let quiet = context.params["_meta"].get(LOG_LEVEL).is_none();
            logging(quiet && context.params["name"] == "test_logging_tool", "info", message)
        }),
    )
    .also(&["M491"])],
};

const M490: Requirement = Requirement {
    id: "M490",
    name: "nothing-below-asked-level-sent-request",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Nothing below the asked level is sent for that request.",
    section: "docs/specification/2026-07-28/server/utilities/logging.mdx#per-request-log-level",
    observed: Observed::By(&M490_CHECK),
};

const M490_CHECK: Check = Check {
    how: "calls what logs, and asks for each level in turn",
    seen: seen_in(&["bare", "levels"]),
    fix: "send nothing below the level that the request names",
    judge: |evidence| {
        let may = |asked: &CheckerRequest<'_>, level: &str| {
            let wanted = asked.params.and_then(|it| it.pointer("/_meta")?.get(LOG_LEVEL)?.as_str());
            wanted.and_then(rank) <= rank(level)
        };
        let emergencies = logged(evidence, Topic::EmergencyCall, may);
        all_of([emergencies, logged(evidence, Topic::LevelCall, may)])
    },
    mutants: &[
        Mutant::new(
            "logs for debugging unless it is an emergency",
            Mutation::Writes(|context, message| {
                let level = &context.params["_meta"][LOG_LEVEL];
                let is_it = level.is_string() && *level != "emergency" && *level != "debug";
                logging(is_it && context.method == Some("tools/call"), "debug", message)
            }),
        ),
        Mutant::new(
            "logs everything when warnings are asked for",
            Mutation::Writes(|context, message| {
                let warned = context.params["_meta"][LOG_LEVEL] == "warning";
                logging(warned, "notice", message)
            }),
        ),
        Mutant::new(
            "logs more than was asked for",
            Mutation::Writes(|context, message| {
                let urgent = context.params["_meta"][LOG_LEVEL] == "emergency";
                logging(urgent && context.params["name"] == "test_logging_tool", "alert", message)
            }),
        ),
    ],
};

const M491: Requirement = Requirement {
    id: "M491",
    name: "log-notifications-stay-on-stream-request",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Log notifications stay on the stream of the request that asked.",
    section: "docs/specification/2026-07-28/server/utilities/logging.mdx#per-request-log-level",
    observed: Observed::By(&M491_CHECK),
};

const M491_CHECK: Check = Check {
    how: "looks whether every log message comes where a request asked for it",
    seen: seen_in(&["tour"]),
    fix: "send log messages on the stream of the request that named a level, and nowhere else",
    judge: |evidence| {
        let logged = evidence.told("notifications/message");
        let outcome = each(logged, "", |heard| {
            let asked = match evidence.transport {
                Transport::Stdio => open_requests(evidence, heard.place).any(wants_logs),
                _ => request_of(evidence, heard.place).is_some_and(wants_logs),
            };
            let expected = "a log message for a request that asks for it";
            (!asked).then(|| Finding::new(expected, show(heard.message), heard.place))
        });
        none_applies(outcome, "nothing was logged")
    },
    mutants: &[
        Mutant::new(
            "logs when nobody asked",
            Mutation::Writes(|_, message| {
                let mut texts = vec![message.to_string()];
                if message["id"] == "last-ping" {
                    texts.push(LOG.to_owned());
                }
                texts
            }),
        ),
        Mutant {
            transport: Some(Transport::Http),
            ..Mutant::new(
                "logs to those who listen for changes",
                Mutation::Event(|context, text| {
                    if context.says("subscriptions/listen") && text.contains("acknowledged") {
                        format!("{text}event: message\ndata: {LOG}\n\n")
                    } else {
                        text.to_owned()
                    }
                }),
            )
            .also(&["M289"])
        },
    ],
};

const M492: Requirement = Requirement {
    id: "M492",
    name: "logs-hold-no-secrets-personal-data-or",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Logs hold no secrets, personal data or attack-relevant internals.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#security",
    observed: Observed::By(&M492_CHECK),
};

const M492_CHECK: Check = SECRET_LOGS;

const S271: Requirement = Requirement {
    id: "S271",
    name: "invalid-level-logging-setlevel-32602",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "An invalid level in logging/setLevel is -32602.",
    section: "docs/specification/{2024-11-05..2025-11-25}/server/utilities/logging.mdx#error-handling",
    observed: Observed::By(&S271_CHECK),
};

const S271_CHECK: Check = Check {
    how: "sets a log level that does not exist",
    seen: seen_in(&["tour"]),
    fix: "answer an unknown level with the error -32602",
    judge: |evidence| {
        undeclared(evidence, "logging").unwrap_or_else(|| {
            refused(evidence, Topic::UnknownLevel, &[-32602], "no unknown level was set")
        })
    },
    mutants: &[Mutant::new(
        "takes any level",
        Mutation::Says(|context, message| {
            if context.params["level"] == "proofmark-no-such-level" {
                *message = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} });
            }
        }),
    )],
};

const S272: Requirement = Requirement {
    id: "S272",
    name: "logging-configuration-errors-32603",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "Logging configuration errors are -32603.",
    section: "docs/specification/{2024-11-05..2025-11-25}/server/utilities/logging.mdx#error-handling",
    observed: Observed::Unobservable(
        "a sound server does not fail inside, whatever a client sends",
    ),
};

const S273: Requirement = Requirement {
    id: "S273",
    name: "invalid-loglevel-meta-gets-request-rejected",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "An invalid logLevel in _meta gets the request rejected with -32602.",
    section: "docs/specification/2026-07-28/server/utilities/logging.mdx#error-handling",
    observed: Observed::By(&S273_CHECK),
};

const S273_CHECK: Check = Check {
    how: "asks for logs of a level that does not exist",
    seen: seen_in(&["tour"]),
    fix: "answer -32602 to a logLevel that does not exist",
    judge: |evidence| {
        refused(evidence, Topic::UnknownLevel, &[-32602], "no unknown level was named")
    },
    mutants: &[Mutant::new(
        "takes any level",
        Mutation::Says(|context, message| {
            if context.params["_meta"][LOG_LEVEL] == "proofmark-no-such-level" {
                message["error"]["code"] = json!(-32603);
            }
        }),
    )],
};

const S274: Requirement = Requirement {
    id: "S274",
    name: "internal-logging-errors-32603",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Internal logging errors are -32603.",
    section: "docs/specification/2026-07-28/server/utilities/logging.mdx#error-handling",
    observed: Observed::Unobservable(
        "a sound server does not fail inside, whatever a client sends",
    ),
};

const S275: Requirement = Requirement {
    id: "S275",
    name: "log-messages-rate-limited",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Log messages are rate limited.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#implementation-considerations ; docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#security",
    observed: Observed::Unobservable(
        "a limit shows only under a load that a check must not put on its peer",
    ),
};

const S276: Requirement = Requirement {
    id: "S276",
    name: "log-data-relevant-context",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Log data has relevant context.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#implementation-considerations",
    observed: Observed::Unobservable("what a message means can only be judged by people"),
};

const S277: Requirement = Requirement {
    id: "S277",
    name: "logger-names-consistent",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Logger names are consistent.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#implementation-considerations",
    observed: Observed::Unobservable("what a message means can only be judged by people"),
};

const S278: Requirement = Requirement {
    id: "S278",
    name: "sensitive-information-removed-from-logs",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Sensitive information is removed from logs.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#implementation-considerations",
    observed: Observed::By(&S278_CHECK),
};

const S278_CHECK: Check = SECRET_LOGS;

const S279: Requirement = Requirement {
    id: "S279",
    name: "log-data-validated-access-controlled",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Log data is validated, access controlled and monitored.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#security",
    observed: Observed::Unobservable("what a peer does inside itself leaves no trace on the wire"),
};

const S280: Requirement = Requirement {
    id: "S280",
    name: "logging-deprecated-not-new-code-migrated",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "Logging is deprecated: not for new code, and to be migrated.",
    section: "docs/specification/2026-07-28/server/utilities/logging.mdx",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

const A139: Requirement = Requirement {
    id: "A139",
    name: "client-may-set-level-logging-setlevel",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: between(V2024_11_05, V2025_11_25),
    text: "The client may set the level with logging/setLevel.",
    section: "docs/specification/{2024-11-05..2025-11-25}/server/utilities/logging.mdx#setting-log-level",
    observed: Observed::By(&A139_CHECK),
};

const A139_CHECK: Check = Check {
    how: "looks for logging/setLevel",
    seen: seen_everywhere(),
    fix: "nothing: this is allowed",
    judge: |evidence| {
        offered(evidence.requests_for("logging/setLevel"), "to set the log level", |_| true)
    },
    mutants: &[Mutant::new(
        "sets no level",
        Mutation::Writes(|_, message| {
            let sets = message["method"] == "logging/setLevel";
            if sets { Vec::new() } else { vec![message.to_string()] }
        }),
    )],
};

const A141: Requirement = Requirement {
    id: "A141",
    name: "loglevel-messages-at-or-above-may-come",
    level: Level::May,
    party: Party::Server,
    transports: Transports::Any,
    span: since(V2026_07_28),
    text: "With logLevel, messages at or above it may come before the response.",
    section: "docs/specification/2026-07-28/server/utilities/logging.mdx#per-request-log-level",
    observed: Observed::By(&A141_CHECK),
};

const A141_CHECK: Check = Check {
    how: "calls tools with a logLevel",
    seen: seen_everywhere(),
    fix: ALLOWED,
    judge: |evidence| told(evidence, LOG_OFFERS, "log messages"),
    mutants: &[silent_about("logs nothing", |method| method == LOG_OFFERS)],
};

const A142: Requirement = Requirement {
    id: "A142",
    name: "clients-may-show-filter-keep-logs",
    level: Level::May,
    party: Party::Client,
    transports: Transports::Any,
    span: since(V2024_11_05),
    text: "Clients may show, filter and keep logs.",
    section: "docs/specification/{2024-11-05..2026-07-28}/server/utilities/logging.mdx#implementation-considerations",
    observed: Observed::Unobservable("what people are shown is not on the wire"),
};

/// The request whose response a frame belongs to.
fn request_of(evidence: &Evidence, place: Place) -> Option<&Value> {
    let EventKind::Received { exchange, .. } =
        &evidence.conversations[place.conversation].events[place.event].kind
    else {
        return None;
    };
    let number = *exchange;
    let exchange = evidence
        .exchanges()
        .find(|it| it.exchange == number && it.place.conversation == place.conversation)?;
    sent_in(evidence, exchange)
}

fn wants_logs(request: &Value) -> bool {
    request.pointer("/params/_meta").is_some_and(|meta| meta.get(LOG_LEVEL).is_some())
}

/// Judges the log messages that came while these requests ran.
fn logged(
    evidence: &Evidence,
    topic: Topic,
    may: impl Fn(&CheckerRequest<'_>, &str) -> bool,
) -> Outcome {
    let outcome = each(evidence.asked(topic), "", |asked| {
        let until = asked.answer.map(|answer| answer.place.event);
        let mut meanwhile = evidence
            .after(asked.place)
            .take_while(|(place, _)| until.is_none_or(|until| place.event < until));
        meanwhile.find_map(|(place, what)| {
            let EventKind::Received { frame, .. } = what else { return None };
            let log = frame.messages().iter().find(|it| it["method"] == "notifications/message")?;
            let level = log["params"]["level"].as_str().unwrap_or_default();
            (!may(&asked, level)).then(|| Finding::new("no such log message", show(log), place))
        })
    });
    none_applies(outcome, "nothing that was called logs")
}

fn logging(is_it: bool, level: &str, message: &Value) -> Vec<String> {
    let log = json!({ "jsonrpc": "2.0", "method": "notifications/message",
        "params": { "level": level, "data": "a word" } });
    if is_it { vec![log.to_string(), message.to_string()] } else { vec![message.to_string()] }
}

const LOG: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"a\"}}";

const SECRET_LOGS: Check = Check {
    how: "looks for what is called a secret in every log message",
    seen: seen_everywhere(),
    fix: "leave secrets out of log messages",
    judge: |evidence| {
        let outcome = each(evidence.told("notifications/message"), "", |heard| {
            let text = heard.message.to_string();
            let leaked = LEAKS.iter().find(|sign| text.contains(**sign))?;
            let expected = format!("no log message with {leaked:?}");
            Some(Finding::new(expected, show(heard.message), heard.place))
        });
        doubtful(none_applies(outcome, "nothing was logged"))
    },
    mutants: &[Mutant::new(
        "logs a password",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/message" {
                message["params"]["data"] = json!("signed in with password=hunter2");
            }
        }),
    )
    .also(&["M492", "S278"])],
};

const LEAKS: [&str; 5] =
    ["Authorization:", "Bearer ey", "password=", "-----BEGIN PRIVATE KEY", "api_key="];
