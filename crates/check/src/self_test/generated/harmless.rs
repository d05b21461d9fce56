//! Legal variations of messages: unknown members, other orders of members, other ways to write the same JSON, pings, unknown notifications.

use proofmark_core::revision::Era;
use proofmark_record::{side::Side, transport::Transport};
use serde_json::{Value, json};

use super::{
    members::{self, Spoil},
    oracle::Oracle,
    specimen::{Kind, Member, Specimen, Step, at_mut},
    variation::{Class, Edit, OWN, Reach, Target, Variation, Verdict},
    writing,
};
use crate::self_test::setting::Setting;

/// Members more, members less, and numbers written in another way.
pub(super) fn of_members(
    members: &[Member<'_>],
    setting: Setting,
    oracle: &Oracle,
) -> Vec<Variation> {
    let mut all = Vec::new();
    for member in members.iter().filter(|it| !is_free(&it.path)) {
        let message = &member.of.message;
        for (operator, spoil) in legal(member) {
            let mut spoiled = message.clone();
            spoil.apply(&member.path, &mut spoiled);
            let known = oracle.accepts(&member.of.kind, message);
            if known && oracle.accepts(&member.of.kind, &spoiled) {
                // What one message says is not for others to say.
                let own = matches!(spoil, Spoil::Set(_)) || operator == WITH_DATA;
                let made = members::variation(member, setting, operator, spoil, Verdict::Legal);
                all.extend(if own { Some(made) } else { everywhere_alike(made, member) });
            }
        }
    }
    all
}

/// What is said once and then in another way is another thing: lists have to be the same each time, and so have results of tasks.
fn everywhere_alike(variation: Variation, member: &Member<'_>) -> Option<Variation> {
    let mut variation = variation;
    variation.target.reach = Reach::Always;
    if member.of.kind.is_compared() && variation.setting.side == Side::Server {
        // Whole runs take long where time has to pass.
        (variation.setting.transport == Transport::Stdio).then_some(())?;
        variation.scenario = None;
    }
    Some(variation)
}

fn legal(member: &Member<'_>) -> Vec<(&'static str, Spoil)> {
    let name = match member.path.last() {
        Some(Step::Key(key)) => key.as_str(),
        _ => "",
    };
    let mut all = Vec::new();
    // An empty result has nothing in it.
    let is_empty =
        name == "result" && member.value.as_object().is_some_and(serde_json::Map::is_empty);
    if member.value.is_object() && !is_empty && !MAPS.contains(&name) {
        let value = json!({ "legal": [1, null, "x"] });
        all.push(("with an unknown member", Spoil::Add("proofmarkUnknown".to_owned(), value)));
        let value = Value::Null;
        all.push((
            "with an unknown member that is null",
            Spoil::Add("x-unknown".to_owned(), value),
        ));
    }
    if DISPLAY.contains(&name) {
        all.push(("without a member that is for display", Spoil::Drop));
    }
    if name == "error" && member.value.get("data").is_none() {
        all.push((WITH_DATA, Spoil::Add("data".to_owned(), json!({ "more": "of it" }))));
    }
    if let Some(number) = member.value.as_i64().filter(|_| NUMBERS.contains(&name)) {
        #[expect(clippy::cast_precision_loss, reason = "what counts progress is small")]
        all.push(("as a number with a point", Spoil::Set(json!(number as f64))));
    }
    all
}

/// Where members have names that the peers agree on among themselves.
fn is_free(path: &[Step]) -> bool {
    path.iter().any(|step| matches!(step, Step::Key(key) if FREE.contains(&key.as_str())))
}

/// The same JSON in other words, pings and unknown notifications.
pub(super) fn of_kinds(kinds: &[&Specimen], setting: Setting) -> Vec<Variation> {
    let mut all = Vec::new();
    for specimen in kinds {
        let mut push = |operator: &'static str, says: super::variation::Says| {
            all.push(Variation {
                class: Class::Envelopes,
                operator,
                place: specimen.kind.to_string(),
                verdict: Verdict::Legal,
                setting,
                scenario: Some(specimen.scenario.clone()),
                target: Target::kind(&specimen.kind),
                edit: Edit::Says(says),
            });
        };
        push("members in another order", Box::new(|it| vec![writing::reversed(it)]));
        push("space between all parts", Box::new(|it| vec![writing::spaced(it)]));
        push("letters escaped", Box::new(|it| vec![writing::escaped(it)]));
        push(
            "an unknown member beside",
            Box::new(|it| {
                let mut message = it.clone();
                if let Some(Value::Object(members)) = at_mut(&[], &mut message) {
                    members.insert("proofmark".to_owned(), json!({ "unknown": true }));
                }
                vec![message.to_string()]
            }),
        );
        // A body is one message.
        let alone = setting.side == Side::Server && setting.transport == Transport::Http;
        if alone || setting.revision.era() == Era::Modern {
            continue;
        }
        let beside = |method: &'static str, id: Option<&'static str>| {
            move |it: &Value| {
                let mut other = json!({ "jsonrpc": "2.0", "method": method });
                if let Some(id) = id {
                    other["id"] = json!(format!("{OWN}-{id}"));
                }
                vec![it.to_string(), other.to_string()]
            }
        };
        // Before there is a connection nothing can be asked or told.
        let begins = ["initialize", "server/discover"];
        if !begins.iter().any(|it| specimen.kind == Kind::Request((*it).to_owned())) {
            push("a ping behind it", Box::new(beside("ping", Some("ping"))));
            let unknown = "notifications/proofmark/unknown";
            push("an unknown notification behind it", Box::new(beside(unknown, None)));
        }
    }
    all
}

const WITH_DATA: &str = "with data";
/// For people to read, and never demanded.
const DISPLAY: [&str; 4] = ["icons", "size", "title", "websiteUrl"];
/// Numbers that need not be integers.
const NUMBERS: [&str; 4] = ["costPriority", "priority", "progress", "total"];
/// Objects whose members are names that the peers choose.
const MAPS: [&str; 7] = [
    "experimental",
    "extensions",
    "headers",
    "inputRequests",
    "inputResponses",
    "notifications",
    "properties",
];
/// What is described by schemas of its own.
const FREE: [&str; 10] = [
    "arguments",
    "content",
    "data",
    "input",
    "inputSchema",
    "metadata",
    "outputSchema",
    "requestState",
    "requestedSchema",
    "structuredContent",
];
