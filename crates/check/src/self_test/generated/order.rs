//! The order of the life cycle swapped: questions before the handshake, progress behind the answer, words left out.

use proofmark_core::revision::Era;
use proofmark_record::{side::Side, transport::Transport};
use serde_json::{Value, json};

use super::{
    laws::{self, Law},
    specimen::{Kind, Specimen},
    variation::{Class, Edit, OWN, Target, Variation},
};
use crate::self_test::setting::Setting;

pub(super) fn illegal(specimens: &[Specimen], setting: Setting) -> Vec<Variation> {
    let mut all = Vec::new();
    let first = |kind: &Kind| specimens.iter().find(|it| it.kind == *kind);
    let progress = Kind::Notification("notifications/progress".to_owned());
    if let Some(specimen) = first(&progress).filter(|_| setting.side == Side::Server) {
        let made = ("held back until the answer", laws::PROGRESS_BEFORE_END, Edit::Holds);
        all.push(variation(specimen, &specimen.kind, setting, made));
    }
    if setting.revision.era() == Era::Modern {
        return all;
    }
    let initialize = |kind: fn(String) -> Kind| kind("initialize".to_owned());
    match setting.side {
        // Over HTTP there is nothing yet to ask on.
        Side::Server if setting.transport == Transport::Stdio => {
            let Some(specimen) = first(&initialize(Kind::Result)) else { return all };
            for (operator, method) in EARLY {
                let ask = move |_: &Value| {
                    vec![
                        json!({ "jsonrpc": "2.0", "id": format!("{OWN}-early"), "method": method,
                        "params": {} })
                        .to_string(),
                    ]
                };
                let made = (*operator, laws::FIRST_INITIALIZE, Edit::Beside(Box::new(ask)));
                all.push(variation(specimen, &initialize(Kind::Request), setting, made));
            }
        }
        Side::Client => {
            let Some(specimen) = first(&initialize(Kind::Request)) else { return all };
            let ask = |message: &Value| {
                let early = json!({ "jsonrpc": "2.0", "id": format!("{OWN}-early"),
                    "method": "tools/list", "params": {} });
                vec![early.to_string(), message.to_string()]
            };
            let made =
                ("lists before the handshake", laws::FIRST_INITIALIZE, Edit::Says(Box::new(ask)));
            all.push(variation(specimen, &initialize(Kind::Request), setting, made));
            let early = |message: &Value| {
                let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
                vec![told.to_string(), message.to_string()]
            };
            let made = (
                "initialized before the handshake",
                laws::INITIALIZED,
                Edit::Says(Box::new(early)),
            );
            all.push(variation(specimen, &initialize(Kind::Request), setting, made));
            let told = Kind::Notification("notifications/initialized".to_owned());
            if let Some(specimen) = first(&told) {
                let never = |_: &Value| Vec::new();
                let made = ("never initialized", laws::INITIALIZED, Edit::Says(Box::new(never)));
                all.push(variation(specimen, &told, setting, made));
            }
        }
        Side::Authorization | Side::Server => {}
    }
    all
}

fn variation(
    specimen: &Specimen,
    target: &Kind,
    setting: Setting,
    (operator, law, edit): (&'static str, Law, Edit),
) -> Variation {
    Variation {
        class: Class::Order,
        operator,
        place: specimen.kind.to_string(),
        verdict: law.broken(),
        setting,
        scenario: Some(specimen.scenario.clone()),
        target: Target::kind(target),
        edit,
    }
}

/// What a server asks before the client has said that it is initialized.
const EARLY: &[(&str, &str)] = &[
    ("asks for roots before the handshake", "roots/list"),
    ("asks for a message before the handshake", "sampling/createMessage"),
];
