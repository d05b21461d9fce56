//! Questions to the user, and the answers.
//!
//! A choice of several is the one field that older forms cannot express. Where it may stay empty it is left out, as if the user had
//! skipped it. Where it is required it becomes a line of text, and its description lists the options and asks for commas between them.

use std::fmt::Write as _;

use super::{Fit, tasks::may_ask_for_task};
use crate::{
    revision::{Dialect, ElicitationRules, EnumForms, RequestMethod, Rules},
    types::{
        ElicitContent, ElicitFormParams, ElicitParams, ElicitResult, ElicitSchema, ElicitUrlParams,
        ElicitValue, MultiSelectOptions, MultiSelectSchema, PrimitiveSchema, SingleSelectOptions,
        StringSchema, TitledOption,
    },
};

impl Fit for ElicitParams {
    fn fit(&mut self, rules: &Rules) {
        let (task, meta) = match self {
            Self::Form(form) => {
                form.fit(rules);
                (&mut form.task, &mut form.meta)
            }
            Self::Url(url) => {
                url.fit(rules);
                (&mut url.task, &mut url.meta)
            }
        };
        if !may_ask_for_task(RequestMethod::ElicitationCreate, rules) {
            *task = None;
        }
        // Inside a result it is no request of its own, and has no `_meta`.
        if rules.input_requests.contains(RequestMethod::ElicitationCreate) {
            *meta = None;
        }
    }
}

impl Fit for ElicitResult {
    fn fit(&mut self, rules: &Rules) {
        if rules.input_requests.contains(RequestMethod::ElicitationCreate) {
            self.meta = None;
        }
        if rules.elicitation.is_none_or(|known| known.string_lists) {
            return;
        }
        for value in self.content.iter_mut().flat_map(ElicitContent::values_mut) {
            if let ElicitValue::Strings(chosen) = value {
                *value = ElicitValue::String(chosen.join(SEPARATOR));
            }
        }
    }
}

impl Fit for ElicitFormParams {
    fn fit(&mut self, rules: &Rules) {
        let Some(known) = rules.elicitation else { return };
        if !known.url_mode {
            self.mode = None;
        }
        let ElicitSchema { dialect, properties, required } = &mut self.requested_schema;
        if rules.schema_dialect == Dialect::Unstated {
            *dialect = None;
        }
        if !known.string_lists {
            properties.retain(|name, field| {
                !matches!(field, PrimitiveSchema::MultiSelect(_))
                    || required.iter().flatten().any(|required| required == name)
            });
        }
        for field in properties.values_mut() {
            fit_field(field, known);
        }
    }
}

impl Fit for ElicitUrlParams {
    /// Where an id is required but there is none, none is made up: the server must be able to say later which elicitation is complete.
    fn fit(&mut self, rules: &Rules) {
        if rules.elicitation.is_some_and(|known| !known.completion) {
            self.elicitation_id = None;
        }
    }
}

fn fit_field(field: &mut PrimitiveSchema, known: ElicitationRules) {
    if let PrimitiveSchema::MultiSelect(choice) = field
        && !known.string_lists
    {
        *field = PrimitiveSchema::String(as_line(choice));
    }
    match field {
        PrimitiveSchema::String(field) => {
            field.pattern.take_if(|_| !known.pattern_shown);
            field.default.take_if(|_| !known.all_defaults);
        }
        PrimitiveSchema::Number(field) => {
            field.default.take_if(|_| !known.all_defaults);
        }
        PrimitiveSchema::SingleSelect(field) => {
            field.default.take_if(|_| !known.all_defaults);
            if let SingleSelectOptions::Titled(options) = &mut field.options
                && known.enums == EnumForms::Names
            {
                field.options = named(std::mem::take(options));
            }
        }
        PrimitiveSchema::MultiSelect(field) => {
            field.default.take_if(|_| !known.all_defaults);
        }
        PrimitiveSchema::Boolean(_) => {}
    }
}

fn named(options: Vec<TitledOption>) -> SingleSelectOptions {
    let (values, names) = options.into_iter().map(|option| (option.value, option.title)).unzip();
    SingleSelectOptions::Named { values, names }
}

fn as_line(choice: &mut MultiSelectSchema) -> StringSchema {
    let mut description = choice.description.take().unwrap_or_default();
    if !description.is_empty() {
        description.push(' ');
    }
    description.push_str("Separated by commas, ");
    let write = match (choice.min_items, choice.max_items) {
        (Some(least), Some(most)) => write!(description, "{least} to {most} of: "),
        (Some(least), None) => write!(description, "at least {least} of: "),
        (None, Some(most)) => write!(description, "at most {most} of: "),
        (None, None) => write!(description, "any of: "),
    };
    write.expect("a string takes any text");
    let options: Vec<String> = match &mut choice.options {
        MultiSelectOptions::Untitled(values) => std::mem::take(values),
        MultiSelectOptions::Titled(options) => options
            .iter()
            .map(|TitledOption { value, title }| format!("{value} ({title})"))
            .collect(),
    };
    description.push_str(&options.join(SEPARATOR));
    StringSchema {
        title: choice.title.take(),
        description: Some(description),
        ..StringSchema::default()
    }
}

const SEPARATOR: &str = ", ";
