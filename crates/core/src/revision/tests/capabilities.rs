//! What each side may declare.

use super::history;
use crate::revision::{
    ClientCapability, ImplementationFields,
    Revision::{self, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28},
    ServerCapability,
};

#[test]
fn servers_declare_what_their_revision_has() {
    let experiment = Declared { since: Some(V2025_11_25), until: Some(V2026_07_28) };
    let table = [
        ("completions", Declared::since(V2025_03_26)),
        ("experimental", ALWAYS),
        ("extensions", Declared::since(V2026_07_28)),
        ("logging", ALWAYS),
        ("prompts", ALWAYS),
        ("prompts.listChanged", ALWAYS),
        ("resources", ALWAYS),
        ("resources.listChanged", ALWAYS),
        ("resources.subscribe", ALWAYS),
        ("tasks", experiment),
        ("tasks.cancel", experiment),
        ("tasks.list", experiment),
        ("tasks.requests.tools.call", experiment),
        ("tools", ALWAYS),
        ("tools.listChanged", ALWAYS),
    ];
    for (name, declared) in table {
        let capability = ServerCapability::parse(name).unwrap();
        declared.compare(name, |it| it.rules().server_capabilities.contains(capability));
    }
    assert_eq!(ServerCapability::ALL.len(), table.len());
}

#[test]
fn clients_declare_what_their_revision_has() {
    let experiment = Declared { since: Some(V2025_11_25), until: Some(V2026_07_28) };
    let since_modes = Declared::since(V2025_11_25);
    let table = [
        ("elicitation", Declared::since(V2025_06_18)),
        ("elicitation.form", since_modes),
        ("elicitation.url", since_modes),
        ("experimental", ALWAYS),
        ("extensions", Declared::since(V2026_07_28)),
        ("roots", ALWAYS),
        ("roots.listChanged", Declared { since: None, until: Some(V2026_07_28) }),
        ("sampling", ALWAYS),
        ("sampling.context", since_modes),
        ("sampling.tools", since_modes),
        ("tasks", experiment),
        ("tasks.cancel", experiment),
        ("tasks.list", experiment),
        ("tasks.requests.elicitation.create", experiment),
        ("tasks.requests.sampling.createMessage", experiment),
    ];
    for (name, declared) in table {
        let capability = ClientCapability::parse(name).unwrap();
        declared.compare(name, |it| it.rules().client_capabilities.contains(capability));
    }
    assert_eq!(ClientCapability::ALL.len(), table.len());
}

#[test]
fn implementations_say_more_about_themselves_over_time() {
    let bare =
        ImplementationFields { title: false, icons: false, description: false, website_url: false };
    let titled = ImplementationFields { title: true, ..bare };
    let full =
        ImplementationFields { title: true, icons: true, description: true, website_url: true };
    history(|rules| rules.implementation, bare, [(V2025_06_18, titled), (V2025_11_25, full)]);
}

/// The revisions in which something may be declared.
#[derive(Clone, Copy)]
struct Declared {
    /// `None`: from the first.
    since: Option<Revision>,
    /// The first without it again.
    until: Option<Revision>,
}

impl Declared {
    const fn since(revision: Revision) -> Self {
        Self { since: Some(revision), until: None }
    }

    #[track_caller]
    fn compare(self, name: &str, has: impl Fn(Revision) -> bool) {
        for revision in Revision::ALL.iter().copied() {
            let expected = self.since.is_none_or(|since| since <= revision)
                && self.until.is_none_or(|until| revision < until);
            assert_eq!(has(revision), expected, "{name} in {revision}");
        }
    }
}

const ALWAYS: Declared = Declared { since: None, until: None };
