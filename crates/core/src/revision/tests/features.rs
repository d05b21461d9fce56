//! Tools, resources, prompts, completion, logging, elicitation and sampling.

use super::{row, sorted};
use crate::revision::{
    BadArguments::{Either, ToolError},
    ContentKind::{self, Audio, Image, Resource, ResourceLink, Text, ToolResult, ToolUse},
    ElicitationRules, EnumForms, Fields,
    IncludeContext::{Deprecated, Discouraged, Free},
    InputSchema::{AnyKeyword, Plain, Valid},
    Level::{May, Must, Should, Unstated},
    LoggingRules::{PerRequest, SetLevel},
    Secrets,
    Structured::{Absent, AnyValue, Object},
    SubscriptionStyle::{Listen, PerResource},
};

#[test]
fn tools_and_prompts_speak_in_more_kinds_of_content_over_time() {
    let first: &[ContentKind] = &[Text, Image, Resource];
    let with_audio: &[ContentKind] = &[Text, Image, Audio, Resource];
    let with_links: &[ContentKind] = &[Text, Image, Audio, ResourceLink, Resource];
    let expected = [first, with_audio, with_links, with_links, with_links].map(sorted);
    row(|rules| sorted(rules.tools.content), expected.clone());
    row(|rules| sorted(rules.prompts.content), expected);
}

#[test]
fn sampling_speaks_in_blocks_of_its_own() {
    let first: &[ContentKind] = &[Text, Image];
    let with_audio: &[ContentKind] = &[Text, Image, Audio];
    let with_tools: &[ContentKind] = &[Text, Image, Audio, ToolUse, ToolResult];
    let expected = [first, with_audio, with_audio, with_tools, with_tools].map(sorted);
    row(|rules| sorted(rules.sampling.content), expected);
}

#[test]
fn what_is_listed_gains_titles_and_then_icons() {
    let plain = Fields { title: false, icons: false, meta: false };
    let titled = Fields { title: true, icons: false, meta: true };
    let with_icons = Fields { title: true, icons: true, meta: true };
    let expected = [plain, plain, titled, with_icons, with_icons];
    row(|rules| rules.tools.fields, expected);
    row(|rules| rules.resources.fields, expected);
    row(|rules| rules.prompts.fields, expected);
}

#[test]
fn tools_have_annotations_since_their_second_revision() {
    row(|rules| rules.tools.annotations, [false, true, true, true, true]);
}

#[test]
fn input_schemas_grow_stricter_and_then_richer() {
    row(|rules| rules.tools.input_schema, [Plain, Plain, Plain, Valid, AnyKeyword]);
}

#[test]
fn structured_output_began_with_objects() {
    row(|rules| rules.tools.structured, [Absent, Absent, Object, Object, AnyValue]);
}

#[test]
fn bad_arguments_became_something_the_model_can_read() {
    row(|rules| rules.tools.bad_arguments, [Either, Either, Either, ToolError, ToolError]);
}

#[test]
fn tools_have_rules_for_names_tasks_headers_and_order() {
    row(|rules| rules.tools.name_rule, [false, false, false, true, true]);
    row(|rules| rules.tools.execution, [false, false, false, true, false]);
    row(|rules| rules.tools.header_parameters, [false, false, false, false, true]);
    row(|rules| rules.tools.stable_order, [false, false, false, false, true]);
}

#[test]
fn resources_gain_dates_and_care() {
    row(|rules| rules.resources.last_modified, [false, false, true, true, true]);
    row(|rules| rules.resources.not_found, [Should, Should, Should, Should, Must]);
    row(|rules| rules.resources.several_contents, [Unstated, Unstated, Unstated, Unstated, May]);
    row(|rules| rules.resources.paths_sanitised, [Unstated, Unstated, Unstated, Unstated, Must]);
}

#[test]
fn completion_knows_the_other_arguments_and_its_limit() {
    row(|rules| rules.completion_context, [false, false, true, true, true]);
    row(|rules| rules.completion_limit_in_schema, [false, false, false, false, true]);
}

#[test]
fn logs_and_changes_are_asked_for_anew_in_the_modern_era() {
    row(|rules| rules.logging, [SetLevel, SetLevel, SetLevel, SetLevel, PerRequest]);
    row(|rules| rules.subscriptions, [PerResource, PerResource, PerResource, PerResource, Listen]);
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
        url_required_error: false,
        undeclared_mode_answered: false,
        secrets: Secrets::Never,
    };
    let urls = ElicitationRules {
        url_mode: true,
        all_defaults: true,
        enums: EnumForms::Titled,
        pattern_shown: true,
        string_lists: true,
        completion: true,
        url_required_error: true,
        undeclared_mode_answered: true,
        secrets: Secrets::ByUrlOnly,
    };
    let modern = ElicitationRules {
        pattern_shown: false,
        completion: false,
        url_required_error: false,
        undeclared_mode_answered: false,
        ..urls
    };
    row(|rules| rules.elicitation, [None, None, Some(forms), Some(urls), Some(modern)]);
}

#[test]
fn sampling_gains_tools_and_loses_its_error() {
    row(|rules| rules.sampling.tools, [false, false, false, true, true]);
    row(|rules| rules.sampling.rejection_is_error, [true, true, true, true, false]);
    row(|rules| rules.sampling.include_context, [Free, Free, Free, Discouraged, Deprecated]);
}
