//! What is published and given out for authorization: each member that has to be there dropped, emptied or of another type; refusals with
//! another status or without their challenge.

use proofmark_core::revision::AuthorizationServerDiscovery;
use proofmark_record::{
    event::{Conversation, EventKind},
    evidence::Evidence,
    scenario::ScenarioName,
    side::Side,
};
use serde_json::{Value, json};

use super::{
    laws::{self, Law},
    variation::{Class, Edit, Reach, Target, Variation, Verdict},
    writing,
};
use crate::self_test::setting::Setting;

/// A document, known by a member that no other has.
struct Document {
    name: &'static str,
    marker: &'static str,
    of: Side,
    /// Members that have to be there, and what is wrong in their place.
    members: &'static [(&'static str, &'static [Operator])],
    law: Law,
}

type Operator = (&'static str, fn(&mut Value, &str));

pub(super) fn all(evidence: &Evidence, setting: Setting) -> Vec<Variation> {
    let mut all = Vec::new();
    let discovery = setting.revision.rules().authorization.map(|it| it.discovery);
    let published = discovery != Some(AuthorizationServerDiscovery::ServerOrigin);
    let challenged = discovery == Some(AuthorizationServerDiscovery::Challenge);
    let is_theirs = |it: &&Document| it.of == setting.side && (published || it.of != Side::Server);
    for document in DOCUMENTS.iter().filter(is_theirs) {
        if let Some(scenario) = shown_in(evidence, document.marker) {
            all.extend(of_document(document, &scenario, setting));
        }
    }
    if let Some(scenario) = refused_in(evidence).filter(|_| setting.side == Side::Server) {
        let made = |operator, verdict, edit| Variation {
            target: Target { status: Some(401), reach: Reach::Always, ..Target::default() },
            ..variation(operator, "refusals", verdict, setting, &scenario, edit)
        };
        for (operator, status) in [("status 400", 400), ("status 500", 500), ("status 200", 200)] {
            let edit = Edit::Http(Box::new(move |_, reply| reply.status = status));
            all.push(made(operator, laws::REFUSED.broken(), edit));
        }
        if challenged {
            let edit = Edit::Http(Box::new(|_, reply| {
                reply.headers.retain(|(name, _)| name != "www-authenticate");
            }));
            all.push(made("without a challenge", laws::CHALLENGED.broken(), edit));
        }
        let edit = Edit::Http(Box::new(|_, reply| reply.set("x-proofmark", "unknown")));
        all.push(made("unknown headers", Verdict::Legal, edit));
    }
    all
}

fn of_document(document: &Document, scenario: &ScenarioName, setting: Setting) -> Vec<Variation> {
    let mut all = Vec::new();
    let target =
        Target { document: Some(document.marker), reach: Reach::Always, ..Target::default() };
    for (member, operators) in document.members {
        for (operator, spoil) in *operators {
            let says = move |it: &Value| {
                let mut it = it.clone();
                spoil(&mut it, member);
                vec![it.to_string()]
            };
            let place = format!("{} /{member}", document.name);
            let edit = Edit::Says(Box::new(says));
            let made = variation(operator, &place, document.law.broken(), setting, scenario, edit);
            all.push(Variation { target: target.clone(), ..made });
        }
    }
    for (operator, write) in LEGAL {
        let edit = Edit::Says(Box::new(move |it: &Value| vec![write(it)]));
        let made = variation(operator, document.name, Verdict::Legal, setting, scenario, edit);
        all.push(Variation { target: target.clone(), ..made });
    }
    all
}

fn variation(
    operator: &'static str,
    place: &str,
    verdict: Verdict,
    setting: Setting,
    scenario: &ScenarioName,
    edit: Edit,
) -> Variation {
    Variation {
        class: Class::Authorization,
        operator,
        place: place.to_owned(),
        verdict,
        setting,
        scenario: Some(scenario.clone()),
        target: Target::default(),
        edit,
    }
}

/// The first conversation in which a document with this member was read.
fn shown_in(evidence: &Evidence, marker: &str) -> Option<ScenarioName> {
    first(evidence, |kind| match kind {
        EventKind::Received { frame, .. } => {
            frame.json.as_ref().is_ok_and(|it| it.get(marker).is_some())
        }
        _ => false,
    })
}

fn refused_in(evidence: &Evidence) -> Option<ScenarioName> {
    first(evidence, |kind| matches!(kind, EventKind::Responded { status: 401, .. }))
}

fn first(evidence: &Evidence, is_it: impl Fn(&EventKind) -> bool) -> Option<ScenarioName> {
    let shows = |it: &&Conversation| it.events.iter().any(|event| is_it(&event.kind));
    evidence.conversations.iter().find(shows).map(|it| it.scenario.clone())
}

const DROPPED: Operator = ("dropped", |it, member| {
    if let Value::Object(members) = it {
        members.remove(member);
    }
});
const NULL: Operator = ("null", |it, member| it[member] = Value::Null);
const NUMBER: Operator = ("a number", |it, member| it[member] = json!(7));
const NO_TEXT: Operator = ("emptied", |it, member| it[member] = json!(""));
const NO_ITEMS: Operator = ("emptied", |it, member| it[member] = json!([]));
const TEXT: Operator = ("a string", |it, member| it[member] = json!("proofmark"));

const TEXTS: &[Operator] = &[DROPPED, NULL, NUMBER, NO_TEXT];
const LISTS: &[Operator] = &[DROPPED, NULL, NUMBER, NO_ITEMS, TEXT];

const DOCUMENTS: &[Document] = &[
    Document {
        name: "metadata of the protected resource",
        marker: "authorization_servers",
        of: Side::Server,
        members: &[("resource", TEXTS), ("authorization_servers", LISTS)],
        law: laws::RESOURCE_METADATA,
    },
    Document {
        name: "metadata of the authorization server",
        marker: "token_endpoint",
        of: Side::Authorization,
        members: &[
            ("issuer", TEXTS),
            ("authorization_endpoint", TEXTS),
            ("token_endpoint", &[NULL, NUMBER, NO_TEXT]),
            ("response_types_supported", LISTS),
        ],
        law: laws::ISSUER_METADATA,
    },
    Document {
        name: "token response",
        marker: "access_token",
        of: Side::Authorization,
        members: &[("access_token", &[NULL, NUMBER, NO_TEXT]), ("token_type", TEXTS)],
        law: laws::TOKEN_RESPONSE,
    },
];

const LEGAL: &[(&str, fn(&Value) -> String)] = &[
    ("an unknown member beside", |it| {
        let mut it = it.clone();
        it["proofmark"] = json!({ "unknown": true });
        it.to_string()
    }),
    ("members in another order", writing::reversed),
    ("space between all parts", writing::spaced),
    ("letters escaped", writing::escaped),
];
