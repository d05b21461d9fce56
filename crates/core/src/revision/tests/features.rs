//! Tools, resources, prompts, completion, logging, elicitation and sampling.

use super::{history, sorted};
use crate::revision::{
    BadArguments::{Either, ToolError},
    ContentKind::{Audio, Image, Resource, ResourceLink, Text, ToolResult, ToolUse},
    ElicitationRules, EnumForms, Fields,
    LoggingRules::{PerRequest, SetLevel},
    Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28},
    Rules,
    Structured::{Absent, AnyValue, Object},
    SubscriptionStyle::{Listen, PerResource},
};

#[test]
fn tools_and_prompts_speak_in_more_kinds_of_content_over_time() {
    for ask in [|rules: &Rules| rules.tools.content, |rules: &Rules| rules.prompts.content] {
        history(
            |rules| sorted(ask(rules)),
            sorted(&[Text, Image, Resource]),
            [
                (V2025_03_26, sorted(&[Text, Image, Audio, Resource])),
                (V2025_06_18, sorted(&[Text, Image, Audio, ResourceLink, Resource])),
            ],
        );
    }
}

#[test]
fn sampling_speaks_in_blocks_of_its_own() {
    history(
        |rules| sorted(rules.sampling.content),
        sorted(&[Text, Image]),
        [
            (V2025_03_26, sorted(&[Text, Image, Audio])),
            (V2025_11_25, sorted(&[Text, Image, Audio, ToolUse, ToolResult])),
        ],
    );
}

#[test]
fn what_is_listed_gains_titles_and_then_icons() {
    let plain = Fields { title: false, icons: false, meta: false };
    let titled = Fields { title: true, icons: false, meta: true };
    let with_icons = Fields { title: true, icons: true, meta: true };
    let changes = [(V2025_06_18, titled), (V2025_11_25, with_icons)];
    history(|rules| rules.tools.fields, plain, changes);
    history(|rules| rules.resources.fields, plain, changes);
    history(|rules| rules.prompts.fields, plain, changes);
}

#[test]
fn tools_have_annotations_since_their_second_revision() {
    history(|rules| rules.tools.annotations, false, [(V2025_03_26, true)]);
}

#[test]
fn structured_output_began_with_objects() {
    history(
        |rules| rules.tools.structured,
        Absent,
        [(V2025_06_18, Object), (V2026_07_28, AnyValue)],
    );
}

#[test]
fn bad_arguments_became_something_the_model_can_read() {
    history(|rules| rules.tools.bad_arguments, Either, [(V2025_11_25, ToolError)]);
}

#[test]
fn tools_have_rules_for_tasks_and_headers() {
    history(|rules| rules.tools.execution, false, [(V2025_11_25, true), (V2026_07_28, false)]);
    history(|rules| rules.tools.header_parameters, false, [(V2026_07_28, true)]);
}

#[test]
fn resources_gain_dates() {
    history(|rules| rules.resources.last_modified, false, [(V2025_06_18, true)]);
}

#[test]
fn completion_knows_the_other_arguments() {
    history(|rules| rules.completion_context, false, [(V2025_06_18, true)]);
}

#[test]
fn logs_and_changes_are_asked_for_anew_in_the_modern_era() {
    history(|rules| rules.logging, SetLevel, [(V2026_07_28, PerRequest)]);
    history(|rules| rules.subscriptions, PerResource, [(V2026_07_28, Listen)]);
}

#[test]
fn elicitation_begins_with_forms() {
    let forms = ElicitationRules {
        url_mode: false,
        all_defaults: false,
        enums: EnumForms::Names,
        pattern_shown: false,
        string_lists: false,
        completion: false,
    };
    let urls = ElicitationRules {
        url_mode: true,
        all_defaults: true,
        enums: EnumForms::Titled,
        pattern_shown: true,
        string_lists: true,
        completion: true,
    };
    let modern = ElicitationRules { pattern_shown: false, completion: false, ..urls };
    history(
        |rules| rules.elicitation,
        None,
        [(V2025_06_18, Some(forms)), (V2025_11_25, Some(urls)), (V2026_07_28, Some(modern))],
    );
}

#[test]
fn sampling_gains_tools() {
    history(|rules| rules.sampling.tools, false, [(V2025_11_25, true)]);
}
