//! The forms that users are asked to fill in.

use proofmark_sdk::core::types::{
    BooleanSchema, ElicitSchema, MultiSelectOptions, MultiSelectSchema, NumberKind, NumberSchema,
    PrimitiveSchema, SingleSelectOptions, SingleSelectSchema, StringSchema, TitledOption,
};
use serde_json::Number;

/// One text, required.
pub(super) fn text(name: &str) -> ElicitSchema {
    form([(name, PrimitiveSchema::String(StringSchema::default()))], &[name])
}

/// Yes or no, required.
pub(super) fn confirmation(name: &str) -> ElicitSchema {
    form([(name, PrimitiveSchema::Boolean(BooleanSchema::default()))], &[name])
}

/// Two texts, both required.
pub(super) fn contact() -> ElicitSchema {
    let text = |description: &str| {
        let description = Some(description.to_owned());
        PrimitiveSchema::String(StringSchema { description, ..StringSchema::default() })
    };
    form(
        [("username", text("User's response")), ("email", text("User's email address"))],
        &["username", "email"],
    )
}

/// A field of every simple kind, each with a default.
pub(super) fn defaults() -> ElicitSchema {
    let name = StringSchema {
        description: Some("User name".to_owned()),
        default: Some("John Doe".to_owned()),
        ..StringSchema::default()
    };
    let age = NumberSchema {
        kind: NumberKind::Integer,
        description: Some("User age".to_owned()),
        default: Some(30.into()),
        ..NumberSchema::default()
    };
    let score = NumberSchema {
        description: Some("User score".to_owned()),
        default: Number::from_f64(95.5),
        ..NumberSchema::default()
    };
    let status = SingleSelectSchema {
        title: None,
        description: Some("User status".to_owned()),
        options: SingleSelectOptions::Untitled(strings(["active", "inactive", "pending"])),
        default: Some("active".to_owned()),
    };
    let verified = BooleanSchema {
        description: Some("Verification status".to_owned()),
        default: Some(true),
        ..BooleanSchema::default()
    };
    form(
        [
            ("name", PrimitiveSchema::String(name)),
            ("age", PrimitiveSchema::Number(age)),
            ("score", PrimitiveSchema::Number(score)),
            ("status", PrimitiveSchema::SingleSelect(status)),
            ("verified", PrimitiveSchema::Boolean(verified)),
        ],
        &[],
    )
}

/// Every way to offer a choice.
pub(super) fn choices() -> ElicitSchema {
    let legacy = SingleSelectOptions::Named {
        values: strings(["opt1", "opt2", "opt3"]),
        names: strings(["Option One", "Option Two", "Option Three"]),
    };
    form(
        [
            ("untitledSingle", one(SingleSelectOptions::Untitled(options()))),
            ("titledSingle", one(SingleSelectOptions::Titled(titled()))),
            ("legacyEnum", one(legacy)),
            ("untitledMulti", many(MultiSelectOptions::Untitled(options()))),
            ("titledMulti", many(MultiSelectOptions::Titled(titled()))),
        ],
        &[],
    )
}

fn form<const N: usize>(
    properties: [(&str, PrimitiveSchema); N],
    required: &[&str],
) -> ElicitSchema {
    ElicitSchema {
        dialect: None,
        properties: properties.into_iter().collect(),
        required: Some(required.iter().copied().map(str::to_owned).collect()),
    }
}

fn one(options: SingleSelectOptions) -> PrimitiveSchema {
    PrimitiveSchema::SingleSelect(SingleSelectSchema {
        title: None,
        description: Some("Choose one".to_owned()),
        options,
        default: None,
    })
}

fn many(options: MultiSelectOptions) -> PrimitiveSchema {
    PrimitiveSchema::MultiSelect(MultiSelectSchema {
        title: None,
        description: Some("Choose any".to_owned()),
        min_items: None,
        max_items: None,
        options,
        default: None,
    })
}

fn options() -> Vec<String> {
    strings(["option1", "option2", "option3"])
}

fn titled() -> Vec<TitledOption> {
    [("value1", "First Option"), ("value2", "Second Option"), ("value3", "Third Option")]
        .map(|(value, title)| TitledOption { value: value.to_owned(), title: title.to_owned() })
        .into()
}

fn strings<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).into()
}
