//! Which requirements the rows of the table name, and whom those bind.

use proofmark_core::revision::Revision::{
    self, V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28,
};
use proofmark_record::side::Side;

use crate::requirement::{Party, Span, between, only, since};

/// Params, results and `_meta` are objects, and what they share has the right types.
pub(super) const BASE: &str = "M601";
/// What a side says about itself.
pub(super) const LIFECYCLE: &str = "M602";
pub(super) const TOOLS: &str = "M603";
pub(super) const RESOURCES: &str = "M604";
pub(super) const PROMPTS: &str = "M605";
pub(super) const COMPLETION: &str = "M606";
/// Content, annotations and icons.
pub(super) const CONTENT: &str = "M607";
pub(super) const REQUESTS: &str = "M608";
pub(super) const NOTIFICATIONS: &str = "M609";
/// What clients answer.
pub(super) const ANSWERS: &str = "M610";
/// Tasks of the experiment.
pub(super) const TASKS: &str = "M611";
/// Input requests and subscriptions.
pub(super) const MODERN: &str = "M612";

/// Requirements that nothing but the table judges.
pub(super) const FAMILIES: [&str; 12] = [
    BASE,
    LIFECYCLE,
    TOOLS,
    RESOURCES,
    PROMPTS,
    COMPLETION,
    CONTENT,
    REQUESTS,
    NOTIFICATIONS,
    ANSWERS,
    TASKS,
    MODERN,
];

/// A requirement that rows name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blamed {
    pub(super) id: &'static str,
    pub(super) party: Party,
    pub(super) span: Span,
}

/// The first of these that binds a side in a revision.
pub(super) fn first_that_binds(
    ids: impl IntoIterator<Item = &'static str>,
    side: Side,
    revision: Revision,
) -> Option<&'static str> {
    let binds = |it: &Blamed| it.party.includes(side) && it.span.contains(revision);
    let mut blamed = ids.into_iter().filter_map(|id| BLAMED.iter().find(|it| it.id == id));
    blamed.find(|it| binds(it)).map(|it| it.id)
}

const fn both(id: &'static str, span: Span) -> Blamed {
    Blamed { id, party: Party::Both, span }
}

const fn client(id: &'static str, span: Span) -> Blamed {
    Blamed { id, party: Party::Client, span }
}

const fn server(id: &'static str, span: Span) -> Blamed {
    Blamed { id, party: Party::Server, span }
}

/// By id. A test compares them with the catalogue.
pub(super) static BLAMED: &[Blamed] = &[
    both("M001", since(V2024_11_05)),
    both("M002", since(V2024_11_05)),
    both("M003", since(V2024_11_05)),
    both("M005", since(V2024_11_05)),
    both("M006", since(V2024_11_05)),
    both("M008", since(V2024_11_05)),
    both("M010", since(V2024_11_05)),
    client("M040", between(V2024_11_05, V2025_11_25)),
    server("M042", between(V2024_11_05, V2025_11_25)),
    server("M049", since(V2024_11_05)),
    server("M050", since(V2024_11_05)),
    server("M051", since(V2024_11_05)),
    server("M052", since(V2024_11_05)),
    server("M053", since(V2024_11_05)),
    server("M054", since(V2024_11_05)),
    server("M059", since(V2024_11_05)),
    server("M060", since(V2024_11_05)),
    server("M061", since(V2024_11_05)),
    server("M062", since(V2024_11_05)),
    server("M063", only(V2025_03_26)),
    server("M066", since(V2024_11_05)),
    server("M067", since(V2024_11_05)),
    server("M068", since(V2024_11_05)),
    server("M069", only(V2025_03_26)),
    client("M072", since(V2024_11_05)),
    client("M073", since(V2024_11_05)),
    client("M077", since(V2024_11_05)),
    client("M078", between(V2025_03_26, V2025_06_18)),
    both("M080", since(V2024_11_05)),
    both("M084", since(V2024_11_05)),
    server("M089", since(V2024_11_05)),
    both("M092", since(V2024_11_05)),
    both("M094", since(V2025_11_25)),
    server("M096", since(V2026_07_28)),
    client("M124", since(V2026_07_28)),
    server("M128", since(V2026_07_28)),
    both("M142", since(V2025_11_25)),
    both("M146", since(V2024_11_05)),
    server("M147", since(V2026_07_28)),
    server("M150", since(V2026_07_28)),
    both("M226", since(V2024_11_05)),
    both("M238", only(V2025_11_25)),
    both("M242", only(V2025_11_25)),
    both("M245", only(V2025_11_25)),
    both("M246", only(V2025_11_25)),
    both("M247", only(V2025_11_25)),
    both("M248", only(V2025_11_25)),
    server("M270", since(V2026_07_28)),
    client("M278", since(V2026_07_28)),
    server("M286", since(V2026_07_28)),
    server("M287", since(V2026_07_28)),
    server("M288", since(V2026_07_28)),
    server("M380", since(V2024_11_05)),
    server("M381", since(V2024_11_05)),
    client("M391", only(V2024_11_05)),
    client("M392", since(V2025_11_25)),
    both("M393", since(V2026_07_28)),
    server("M397", since(V2025_06_18)),
    server("M398", since(V2025_06_18)),
    server("M399", only(V2025_06_18)),
    server("M400", since(V2025_11_25)),
    client("M401", since(V2025_06_18)),
    client("M403", since(V2025_11_25)),
    server("M412", since(V2025_11_25)),
    server("M414", since(V2025_11_25)),
    server("M415", since(V2025_11_25)),
    server("M416", since(V2025_11_25)),
    server("M418", only(V2025_11_25)),
    server("M422", only(V2025_11_25)),
    server("M446", only(V2024_11_05)),
    server("M447", since(V2025_06_18)),
    server("M448", since(V2024_11_05)),
    server("M449", since(V2024_11_05)),
    server("M450", since(V2025_03_26)),
    client("M455", since(V2024_11_05)),
    server("M460", since(V2024_11_05)),
    server("M466", since(V2024_11_05)),
    server("M467", only(V2024_11_05)),
    server("M468", since(V2025_06_18)),
    server("M469", since(V2024_11_05)),
    server("M470", between(V2025_06_18, V2025_11_25)),
    server("M471", between(V2025_06_18, V2025_11_25)),
    client("M484", since(V2024_11_05)),
    server("M488", since(V2024_11_05)),
    server("M499", since(V2026_07_28)),
    server("M500", since(V2026_07_28)),
    server("M501", since(V2026_07_28)),
    server("M502", since(V2026_07_28)),
    server("M503", since(V2026_07_28)),
    server("M504", since(V2026_07_28)),
    server("M505", since(V2026_07_28)),
    server("M506", since(V2026_07_28)),
    client("M518", since(V2026_07_28)),
    client("M520", since(V2024_11_05)),
    client("M521", since(V2024_11_05)),
    server("M522", since(V2025_06_18)),
    server("M523", since(V2024_11_05)),
    server("M524", since(V2025_03_26)),
    server("M525", since(V2024_11_05)),
    server("M526", since(V2025_03_26)),
    server("M527", since(V2025_03_26)),
    both("M529", only(V2025_11_25)),
    both("M601", since(V2024_11_05)),
    both("M602", since(V2024_11_05)),
    server("M603", since(V2024_11_05)),
    server("M604", since(V2024_11_05)),
    server("M605", since(V2024_11_05)),
    server("M606", since(V2024_11_05)),
    both("M607", since(V2024_11_05)),
    both("M608", since(V2024_11_05)),
    both("M609", since(V2024_11_05)),
    client("M610", since(V2024_11_05)),
    both("M611", only(V2025_11_25)),
    server("M612", since(V2026_07_28)),
];
