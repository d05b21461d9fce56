//! All of JSON Schema, by the validator that knows every keyword of every dialect.

use jsonschema::{
    PatternOptions, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::{
    Plan, SchemaError, SchemaLimits,
    admission::Draft,
    explain::nearest,
    violation::{Cause, Violation, clip, kind_of, names, quote, shorten},
};

pub(super) struct Validator(jsonschema::Validator);

impl Validator {
    pub(super) fn build(
        document: &Value,
        plan: &Plan,
        limits: &SchemaLimits,
    ) -> Result<Self, SchemaError> {
        let share = limits.all_patterns_bytes / plan.patterns.max(1);
        let pattern_bytes = limits.pattern_bytes.min(share);
        jsonschema::options()
            .with_draft(draft(plan.draft))
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(
                PatternOptions::regex().size_limit(pattern_bytes).dfa_size_limit(pattern_bytes),
            )
            .build(document)
            .map(Self)
            .map_err(|error| refusal(&error))
    }

    pub(super) fn is_valid(&self, instance: &Value) -> bool {
        self.0.is_valid(instance)
    }

    /// What is wrong with a value that is not valid.
    pub(super) fn explain(&self, instance: &Value) -> Violation {
        match self.0.validate(instance) {
            Err(error) => violation(&error),
            Ok(()) => Violation::unexplained(),
        }
    }

    /// All that is wrong with a value.
    pub(super) fn explain_all(&self, instance: &Value) -> Vec<Violation> {
        self.0.iter_errors(instance).take(MOST).flat_map(|error| violations(&error)).collect()
    }
}

/// An error, or those of the branch that it is nearest to.
fn violations(error: &ValidationError<'_>) -> Vec<Violation> {
    let (Kind::AnyOf { context } | Kind::OneOfNotValid { context }) = error.kind() else {
        return vec![violation(error)];
    };
    let branches = context.iter().map(|branch| branch.iter().flat_map(violations).collect());
    let near = nearest(error.instance_path().as_str(), branches.collect());
    if near.is_empty() { vec![violation(error)] } else { near }
}

fn draft(draft: Draft) -> jsonschema::Draft {
    match draft {
        Draft::Draft4 => jsonschema::Draft::Draft4,
        Draft::Draft6 => jsonschema::Draft::Draft6,
        Draft::Draft7 => jsonschema::Draft::Draft7,
        Draft::Draft201909 => jsonschema::Draft::Draft201909,
        Draft::Draft202012 => jsonschema::Draft::Draft202012,
    }
}

fn violation(error: &ValidationError<'_>) -> Violation {
    Violation {
        instance_path: shorten(error.instance_path().as_str()),
        message: shorten(&describe(error)),
        cause: Cause::Keyword(error.kind().keyword().into()),
    }
}

fn refusal(error: &ValidationError<'_>) -> SchemaError {
    match error.kind() {
        Kind::Format { format } if format == "regex" => {
            SchemaError::Pattern { pattern: shorten(error.instance().as_str().unwrap_or_default()) }
        }
        Kind::Referencing(inner) => SchemaError::Invalid {
            place: shorten(error.instance_path().as_str()),
            message: shorten(&inner.to_string()),
        },
        _ => {
            let Violation { instance_path, message, .. } = violation(error);
            SchemaError::Invalid { place: instance_path, message }
        }
    }
}

fn describe(error: &ValidationError<'_>) -> String {
    let got = error.instance();
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(kind) } => {
            format!("expected {kind}, got {}", kind_of(got))
        }
        Kind::Type { kind: TypeKind::Multiple(kinds) } => {
            let kinds: Vec<_> = kinds.iter().map(|kind| kind.to_string()).collect();
            format!("expected {}, got {}", kinds.join(" or "), kind_of(got))
        }
        Kind::Required { property } => format!("expected a property {}", quote(property)),
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("expected no further property, got {}", names(unexpected))
        }
        Kind::AdditionalItems { limit } => format!("expected at most {limit} items"),
        Kind::UnevaluatedItems { .. } => "expected no further item".into(),
        Kind::AnyOf { .. } => {
            format!("expected a match with one of several schemas, got {}", quote(got))
        }
        Kind::OneOfNotValid { .. } => {
            format!("expected a match with exactly one of several schemas, got {}", quote(got))
        }
        Kind::OneOfMultipleValid { .. } => {
            "expected a match with exactly one of several schemas, got several".into()
        }
        Kind::Constant { expected_value } => {
            format!("expected {}, got {}", quote(expected_value), quote(got))
        }
        Kind::Enum { options } => format!("expected one of {}, got {}", quote(options), quote(got)),
        Kind::Maximum { limit } => format!("expected at most {limit}, got {}", quote(got)),
        Kind::Minimum { limit } => format!("expected at least {limit}, got {}", quote(got)),
        Kind::ExclusiveMaximum { limit } => {
            format!("expected less than {limit}, got {}", quote(got))
        }
        Kind::ExclusiveMinimum { limit } => {
            format!("expected more than {limit}, got {}", quote(got))
        }
        Kind::MultipleOf { multiple_of } => {
            format!("expected a multiple of {multiple_of}, got {}", quote(got))
        }
        Kind::MaxLength { limit } => format!("expected at most {limit} characters"),
        Kind::MinLength { limit } => format!("expected at least {limit} characters"),
        Kind::MaxItems { limit } => format!("expected at most {limit} items"),
        Kind::MinItems { limit } => format!("expected at least {limit} items"),
        Kind::MaxProperties { limit } => format!("expected at most {limit} properties"),
        Kind::MinProperties { limit } => format!("expected at least {limit} properties"),
        Kind::Pattern { pattern } => {
            format!("expected a match with {}, got {}", clip(pattern), quote(got))
        }
        Kind::PropertyNames { error } => format!("a property's name: {}", describe(error)),
        Kind::UniqueItems => "expected items that differ from each other".into(),
        Kind::Contains => "expected an item that matches `contains`".into(),
        Kind::Not { .. } => "expected no match with `not`".into(),
        Kind::FalseSchema => "expected no value here".into(),
        other => format!("does not match `{}`", other.keyword()),
    }
}

/// Errors that are looked at; a model that made more mistakes than that has read none of the schema.
const MOST: usize = 32;
