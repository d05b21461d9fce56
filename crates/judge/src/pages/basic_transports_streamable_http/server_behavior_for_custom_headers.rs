//! `basic/transports/streamable-http`: `#server-validation`, `#server-behavior-for-custom-headers`, `#case-sensitivity`, `#httpsse-
//! transport-2024-11-05`.

use super::shared::{
    M197_CHECK, NEVER_MIRRORS, NOT_MARKED, calls, mirrors, passes, rejected, says,
};
use crate::requirement::seen_in;
use crate::{
    common::{
        client::{ELSEWHERE, hosted_at, mutated, posted},
        endpoint::SSE_ENDPOINT,
        mirrored_headers::{UNMARKED, of},
        request_metadata::{error, to},
        shape::show,
        tools::none_applies,
    },
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
    requirement::{Check, Level, Observed, Party, Requirement, Transports, since},
};
use proofmark_converse::{
    hosted::HostedScenario,
    mutation::{Mutation, Passing},
    scenario::MarkedArgument,
};
use proofmark_core::revision::Revision::{V2025_03_26, V2026_07_28};
use proofmark_record::{
    event::header,
    evidence::{Evidence, HttpExchange},
    topic::Topic,
};

pub(super) const M209: Requirement = Requirement {
    id: "M209",
    name: "servers-intermediaries-decode-sentinel",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Servers and intermediaries decode the sentinel before they inspect or compare.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#value-encoding ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-validation",
    observed: Observed::By(&M209_CHECK),
};

const M209_CHECK: Check = Check {
    how: "encodes a name that needs no encoding",
    seen: seen_in(&["mirroring"]),
    fix: "decode what is between the markers before you compare it",
    judge: |evidence| accepted(evidence, &["encoded-name", "encoded-param"]),
    mutants: &[refuses("does not decode names", "encoded-name")],
};

pub(super) const M217: Requirement = Requirement {
    id: "M217",
    name: "header-does-not-equal-body-value-answered",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A header that does not equal its body value is answered 400 with -32020.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-behavior-for-custom-headers ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-validation",
    observed: Observed::By(&M217_CHECK),
};

const M217_CHECK: Check = Check {
    how: "sends headers that contradict the body",
    seen: seen_in(&["mirroring"]),
    fix: "answer 400 and -32020 to a header that is not what the body says",
    judge: |evidence| rejected(evidence, &["wrong-method", "wrong-name", "wrong-param"]),
    mutants: &[
        passes("does not look at the name in the header", "wrong-name").also(&["M219"]),
        passes("does not look at the method in the header", "wrong-method").also(&["M219"]),
        passes("does not look at arguments in headers", "wrong-param").also(&["M219"]),
    ],
};

pub(super) const M219: Requirement = Requirement {
    id: "M219",
    name: "header-validation-failure-missing-or",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A header validation failure, missing or malformed headers included, is 400 plus a -32020 JSON-RPC error.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-validation",
    observed: Observed::By(&M219_CHECK),
};

const M219_CHECK: Check = Check {
    how: "sends headers that are missing or contradict the body",
    seen: seen_in(&["mirroring"]),
    fix: "answer 400 and -32020 to headers that are missing or wrong",
    judge: |evidence| {
        rejected(evidence, &["other-version", "no-method", "no-name", "wrong-method", "wrong-name"])
    },
    mutants: &[
        passes("does without a method in the header", "no-method"),
        passes("does without a name in the header", "no-name"),
    ],
};

pub(super) const M220: Requirement = Requirement {
    id: "M220",
    name: "intermediary-rejects-http-error-status",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An intermediary rejects with an HTTP error status (a JSON-RPC body is optional for it).",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-validation",
    observed: Observed::Unobservable(
        "only an intermediary is bound by it, and from outside nobody can tell one from a server",
    ),
};

pub(super) const S090: Requirement = Requirement {
    id: "S090",
    name: "integer-parameters-compare-by-number-so-42-0",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Integer parameters compare by number, so 42.0 equals 42.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-validation",
    observed: Observed::By(&S090_CHECK),
};

const S090_CHECK: Check = Check {
    how: "repeats a marked integer with a decimal point",
    seen: seen_in(&["mirroring"]),
    fix: "compare integers by their value: 42.0 is 42",
    judge: |evidence| {
        none_applies(
            accepted(evidence, &["decimal-param"]),
            "no tool that was called has a marked integer",
        )
    },
    mutants: &[refuses("compares numbers by their letters", "decimal-param")],
};

pub(super) const S091: Requirement = Requirement {
    id: "S091",
    name: "intermediary-enforces-policy-on-mirrored",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An intermediary that enforces policy on mirrored headers rejects requests whose version does not require header validation.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-validation",
    observed: Observed::Unobservable(
        "only an intermediary is bound by it, and from outside nobody can tell one from a server",
    ),
};

pub(super) const M211: Requirement = Requirement {
    id: "M211",
    name: "provided-parameter-marked-x-mcp-header-sent",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A provided parameter marked x-mcp-header is sent as Mcp-Param-Name.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#client-behavior ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-behavior-for-custom-headers",
    observed: Observed::By(&M211_CHECK),
};

const M211_CHECK: Check = Check {
    how: M197_CHECK.how,
    seen: seen_in(&["hosted marks"]),
    fix: M197_CHECK.fix,
    judge: mirrors,
    mutants: &[NEVER_MIRRORS.also(&["M197", "M206", "M207", "M210", "S089"])],
};

pub(super) const M212: Requirement = Requirement {
    id: "M212",
    name: "null-or-absent-parameter-no-mcp-param-header",
    level: Level::Must,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A null or absent parameter has no Mcp-Param header.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#client-behavior ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-behavior-for-custom-headers",
    observed: Observed::By(&M212_CHECK),
};

const M212_CHECK: Check = Check {
    how: "has a tool called without some of its marked arguments, and with null for one",
    seen: seen_in(&["hosted marks"]),
    fix: "send no Mcp-Param header for what is null or not there",
    judge: |evidence| {
        let absent = calls(evidence).flat_map(|(exchange, message, tool)| {
            let arguments = &message["params"]["arguments"];
            let absent =
                MarkedArgument::of(tool).into_iter().filter(|it| it.value(arguments).is_none());
            absent.map(|it| (exchange, it)).collect::<Vec<_>>()
        });
        each(absent, NOT_MARKED, |(exchange, marked)| {
            let told = header(exchange.asked, &marked.header())?;
            let expected = format!("no {}", marked.header());
            Some(Finding::new(expected, told, exchange.place))
        })
    },
    mutants: &[mutated("repeats what is not there", |request| {
        if says(request, "tools/call") && request.header("mcp-param-flag").is_none() {
            request.set("mcp-param-flag", "null");
        }
    })],
};

pub(super) const M213: Requirement = Requirement {
    id: "M213",
    name: "server-does-not-expect-header-null-or-absent",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "The server does not expect a header for a null or absent parameter.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-behavior-for-custom-headers",
    observed: Observed::By(&M213_CHECK),
};

const M213_CHECK: Check = Check {
    how: "calls with null for a marked argument, and without the argument, and sends no header",
    seen: seen_in(&["mirroring"]),
    fix: "expect no header where the argument is null or absent",
    judge: |evidence| {
        let outcome = each(of(evidence, Topic::AbsentParam, ABSENT), "", |asked| {
            let answer = asked.answer?;
            (answer.code() == Some(-32020)).then(|| {
                let expected = "no complaint about headers";
                Finding::new(expected, show(answer.message), answer.place)
            })
        });
        none_applies(outcome, UNMARKED)
    },
    mutants: &[
        refuses("wants a header for what is not there", "absent-param"),
        refuses("wants a header for null", "null-param"),
    ],
};

pub(super) const M214: Requirement = Requirement {
    id: "M214",
    name: "parameter-body-whose-marked-header-missing",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "A parameter in the body whose marked header is missing gets the request rejected.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-behavior-for-custom-headers",
    observed: Observed::By(&M214_CHECK),
};

const M214_CHECK: Check = Check {
    how: "leaves out the header of a marked argument",
    seen: seen_in(&["mirroring"]),
    fix: "reject a call whose marked argument has no header",
    judge: |evidence| {
        none_applies(
            rejected(evidence, &["no-param"]),
            "no tool that was called has a marked argument",
        )
    },
    mutants: &[passes("does without arguments in headers", "no-param")],
};

pub(super) const M215: Requirement = Requirement {
    id: "M215",
    name: "intermediary-forwards-mcp-param-headers-does",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "An intermediary forwards Mcp-Param headers it does not know.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-behavior-for-custom-headers",
    observed: Observed::Unobservable(
        "only an intermediary is bound by it, and from outside nobody can tell one from a server",
    ),
};

pub(super) const M216: Requirement = Requirement {
    id: "M216",
    name: "invalid-characters-known-mcp-param-header",
    level: Level::Must,
    party: Party::Server,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Invalid characters in a known Mcp-Param header get the request rejected.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#server-behavior-for-custom-headers",
    observed: Observed::By(&M216_CHECK),
};

const M216_CHECK: Check = Check {
    how: "sends a marked argument with other letters than ASCII, and its header not encoded",
    seen: seen_in(&["mirroring"]),
    fix: "reject what a header must not contain",
    judge: |evidence| {
        let outcome = each(of(evidence, Topic::BadHeader, &["raw-param"]), "", |asked| {
            let status = evidence.exchange_of(&asked).and_then(|exchange| exchange.status);
            let taken = asked.answer.is_some_and(|answer| answer.result().is_some());
            let expected = "a rejection with status 400";
            (status != Some(400) || taken).then(|| {
                let said = asked.answer.map_or_else(String::new, |it| show(it.message));
                let status = status.map_or_else(|| "no status".to_owned(), |it| it.to_string());
                Finding::new(expected, format!("{status} {said}"), asked.place)
            })
        });
        none_applies(outcome, UNMARKED)
    },
    mutants: &[passes("takes any letters in a header", "raw-param")],
};

pub(super) const M218: Requirement = Requirement {
    id: "M218",
    name: "header-names-compare-without-regard-case",
    level: Level::Must,
    party: Party::Both,
    transports: Transports::Http,
    span: since(V2026_07_28),
    text: "Header names compare without regard to case (values with).",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#case-sensitivity",
    observed: Observed::Each {
        server: &Observed::By(&M218_SERVER),
        client: &Observed::By(&M218_CLIENT),
    },
};

const M218_SERVER: Check = Check {
    how: "writes the names of all headers in upper case",
    seen: seen_in(&["mirroring"]),
    fix: "compare the names of headers without regard to case",
    judge: |evidence| accepted(evidence, &["loud-names"]),
    mutants: &[refuses("is particular about the case of names", "loud-names")],
};

const M218_CLIENT: Check = Check {
    how: "answers with headers in odd case, and looks at whether the client goes on",
    seen: seen_in(&["hosted marks"]).momentary(),
    fix: "compare the names of headers without regard to case",
    judge: |evidence| {
        let listed = evidence.requests_for("tools/list").find(|it| {
            hosted_at(evidence, it.place) == Some(HostedScenario::MARKS) && it.answer.is_some()
        });
        let Some(listed) = listed else {
            return Outcome::Unobserved("the client never listed tools".to_owned());
        };
        let on = evidence
            .requests_for("tools/call")
            .any(|it| it.place.conversation == listed.place.conversation);
        if on {
            return Outcome::Kept;
        }
        let expected = "a call after a list that came with headers in odd case";
        Outcome::Doubtful(Finding::new(expected, "no call", listed.place))
    },
    mutants: &[Mutant::new(
        "knows headers in lower case only",
        Mutation::Request(|request| {
            let marked = request.header("mcp-name").is_some_and(|it| it != "add_numbers");
            if says(request, "tools/call") && marked { Passing::No } else { Passing::Yes }
        }),
    )
    .also(&["M205"])],
};

pub(super) const S072: Requirement = Requirement {
    id: "S072",
    name: "new-code-does-not-adopt-http-sse-old-code",
    level: Level::Should,
    party: Party::Both,
    transports: Transports::Sse,
    span: since(V2026_07_28),
    text: "New code does not adopt HTTP+SSE, old code migrates.",
    section: "docs/specification/2026-07-28/basic/transports/streamable-http.mdx#httpsse-transport-2024-11-05",
    observed: Observed::Unobservable("a policy of those who run the peer, not something it sends"),
};

pub(super) const S073: Requirement = Requirement {
    id: "S073",
    name: "if-first-post-fails-fallback-status-client",
    level: Level::Should,
    party: Party::Client,
    transports: Transports::Http,
    span: since(V2025_03_26),
    text: "If the first POST fails with a fallback status the client tries GET and expects an endpoint event (lower case in the text: any 4xx up to 2025-06-18, then 400, 404 or 405, and in 2026-07-28 only without a modern error body).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#backwards-compatibility ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#httpsse-transport-2024-11-05",
    observed: Observed::By(&S073_CHECK),
};

const S073_CHECK: Check = Check {
    how: "refuses every POST with 405, and offers the older transport to GET",
    seen: seen_in(&["hosted ancient"]),
    fix: "try GET when the first POST is refused, and then keep to the older transport",
    judge: |evidence| {
        let ancient =
            |it: &HttpExchange<'_>| hosted_at(evidence, it.place) == Some(HostedScenario::ANCIENT);
        let back = evidence.exchanges().filter(ancient).find(|it| it.line.starts_with("GET "));
        let Some(back) = back else {
            let why = "the client does not look for servers of the older transport";
            return Outcome::NotApplicable(why.to_owned());
        };
        let posts = evidence.exchanges().filter(|it| {
            ancient(it) && it.line.starts_with("POST ") && it.place.event > back.place.event
        });
        each(posts, "the client came, and said nothing", |exchange| {
            let right = exchange.line == posted();
            (!right).then(|| Finding::new(posted(), exchange.line, exchange.place))
        })
    },
    mutants: &[ELSEWHERE],
};

pub(super) const S074: Requirement = Requirement {
    id: "S074",
    name: "server-wants-old-clients-keeps-old-sse-post",
    level: Level::Should,
    party: Party::Server,
    transports: Transports::Sse,
    span: since(V2025_03_26),
    text: "A server that wants old clients keeps the old SSE and POST endpoints beside the MCP endpoint (lower case in the text).",
    section: "docs/specification/{2025-03-26..2025-11-25}/basic/transports.mdx#backwards-compatibility ; docs/specification/2026-07-28/basic/transports/streamable-http.mdx#httpsse-transport-2024-11-05",
    observed: Observed::By(&S074_CHECK),
};

const S074_CHECK: Check = SSE_ENDPOINT;

fn accepted(evidence: &Evidence, ids: &[&str]) -> Outcome {
    each(of(evidence, Topic::GoodHeader, ids), "it was not tried", |asked| {
        let answer = asked.answer;
        let fine = answer.is_some_and(|answer| answer.result().is_some());
        let said = answer.map_or_else(|| "no answer".to_owned(), |answer| show(answer.message));
        (!fine).then(|| Finding::new("a result", said, asked.place))
    })
}

/// Rejects a request that is right.
const fn refuses(name: &'static str, id: &'static str) -> Mutant {
    to(name, id, |message| *message = error(&message["id"], -32020))
}

const ABSENT: &[&str] = &["absent-param", "null-param"];
