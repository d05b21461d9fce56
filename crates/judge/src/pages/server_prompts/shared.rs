//! What several judges of `server/prompts` use.

use crate::requirement::seen_in;
use crate::{
    common::capabilities::{hides, lists_only_if_declared, remove},
    requirement::Check,
};

pub(super) const M058_CHECK: Check = Check {
    how: "asks for prompts although none are declared",
    seen: seen_in(&["tour"]),
    fix: "declare the prompts capability, or answer prompts/list with -32601",
    judge: |evidence| lists_only_if_declared(evidence, "prompts", "prompts/list"),
    mutants: &[hides("has prompts that it does not declare", |context, message| {
        remove(context, message, "/prompts", None);
    })
    .also(&["M064", "S235"])],
};
