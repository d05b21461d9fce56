//! What each side may declare.

use super::row;
use crate::revision::{ClientCapability, ImplementationFields, ServerCapability};

#[test]
fn servers_declare_what_their_revision_has() {
    let always = [true; 5];
    let completions = [false, true, true, true, true];
    let experiment = [false, false, false, true, false];
    let table = [
        ("completions", completions),
        ("experimental", always),
        ("extensions", [false, false, false, false, true]),
        ("logging", always),
        ("prompts", always),
        ("prompts.listChanged", always),
        ("resources", always),
        ("resources.listChanged", always),
        ("resources.subscribe", always),
        ("tasks", experiment),
        ("tasks.cancel", experiment),
        ("tasks.list", experiment),
        ("tasks.requests.tools.call", experiment),
        ("tools", always),
        ("tools.listChanged", always),
    ];
    for (name, expected) in table {
        let capability = ServerCapability::parse(name).unwrap();
        let ask = |has: bool| (name, has);
        row(|rules| ask(rules.server_capabilities.contains(capability)), expected.map(ask));
    }
    assert_eq!(ServerCapability::ALL.len(), table.len());
}

#[test]
fn clients_declare_what_their_revision_has() {
    let always = [true; 5];
    let experiment = [false, false, false, true, false];
    let since_modes = [false, false, false, true, true];
    let table = [
        ("elicitation", [false, false, true, true, true]),
        ("elicitation.form", since_modes),
        ("elicitation.url", since_modes),
        ("experimental", always),
        ("extensions", [false, false, false, false, true]),
        ("roots", always),
        ("roots.listChanged", [true, true, true, true, false]),
        ("sampling", always),
        ("sampling.context", since_modes),
        ("sampling.tools", since_modes),
        ("tasks", experiment),
        ("tasks.cancel", experiment),
        ("tasks.list", experiment),
        ("tasks.requests.elicitation.create", experiment),
        ("tasks.requests.sampling.createMessage", experiment),
    ];
    for (name, expected) in table {
        let capability = ClientCapability::parse(name).unwrap();
        let ask = |has: bool| (name, has);
        row(|rules| ask(rules.client_capabilities.contains(capability)), expected.map(ask));
    }
    assert_eq!(ClientCapability::ALL.len(), table.len());
}

#[test]
fn logging_roots_and_sampling_are_on_their_way_out() {
    row(
        |rules| rules.deprecated_server_capabilities.iter().collect::<Vec<_>>(),
        [vec![], vec![], vec![], vec![], vec![ServerCapability::Logging]],
    );
    row(
        |rules| rules.deprecated_client_capabilities.iter().collect::<Vec<_>>(),
        [
            vec![],
            vec![],
            vec![],
            vec![],
            vec![
                ClientCapability::Roots,
                ClientCapability::Sampling,
                ClientCapability::SamplingContext,
                ClientCapability::SamplingTools,
            ],
        ],
    );
}

#[test]
fn implementations_say_more_about_themselves_over_time() {
    let bare =
        ImplementationFields { title: false, icons: false, description: false, website_url: false };
    let titled = ImplementationFields { title: true, ..bare };
    let full =
        ImplementationFields { title: true, icons: true, description: true, website_url: true };
    row(|rules| rules.implementation, [bare, bare, titled, full, full]);
}
