//! Names that have a grammar: keys of `_meta`, URIs, icons.

use serde_json::{Value, json};

use super::{Check, shape::show, tools::none_applies};
use crate::{
    mutant::Mutant,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::evidence::{Evidence, Place};

pub(crate) const M119: Check = Check {
    how: "looks at the keys of _meta in every message",
    fix: "write prefixes as labels with dots between them, and a slash",
    judge: |evidence| {
        keys(evidence, |place, prefix, _| {
            let prefix = prefix?;
            let right = !prefix.is_empty() && prefix.split('.').all(|label| !label.is_empty());
            (!right)
                .then(|| Finding::new("labels with dots between them", show(&json!(prefix)), place))
        })
    },
    mutants: &[with_key("has a prefix without a label", "a..b/c").also(&["M120"])],
};

pub(crate) const M120: Check = Check {
    how: "looks at the keys of _meta in every message",
    fix: "begin labels with a letter, and end them with a letter or a digit",
    judge: |evidence| {
        keys(evidence, |place, prefix, _| {
            let odd = prefix?.split('.').find(|label| !is_label(label))?;
            Some(Finding::new("a letter first, a letter or digit last", show(&json!(odd)), place))
        })
    },
    mutants: &[with_key("has a label that begins with a digit", "com.1a/b")],
};

pub(crate) const M123: Check = Check {
    how: "looks at the keys of _meta in every message",
    fix: "begin and end names with a letter or a digit",
    judge: |evidence| {
        keys(evidence, |place, _, name| {
            let edge = |c: char| c.is_ascii_alphanumeric();
            let right = name.is_empty() || (name.starts_with(edge) && name.ends_with(edge));
            (!right)
                .then(|| Finding::new("a letter or digit at both ends", show(&json!(name)), place))
        })
    },
    mutants: &[with_key("has a name that ends in a hyphen", "com.example/a-")],
};

pub(crate) const M142: Check = Check {
    how: "looks at every icon",
    fix: "give icons a src, sizes as WxH or any, and a theme that is light or dark",
    judge: |evidence| {
        let icons = found(evidence, "icons");
        let icons = icons.iter().flat_map(|(place, icons)| {
            icons.as_array().into_iter().flatten().map(move |icon| (*place, icon))
        });
        let outcome = each(icons, "", |(place, icon)| {
            let expected = "src, sizes as WxH or any, theme light or dark";
            let source = icon.get("src").is_some_and(Value::is_string);
            let sizes = icon.get("sizes").and_then(Value::as_array);
            let sized = sizes.is_none_or(|sizes| sizes.iter().all(is_size));
            let themed = icon.get("theme").is_none_or(|it| it == "light" || it == "dark");
            (!(source && sized && themed)).then(|| Finding::new(expected, show(icon), place))
        });
        none_applies(outcome, "nothing has an icon")
    },
    mutants: &[Mutant::new(
        "has an icon that lies nowhere",
        Mutation::Says(|context, message| {
            if context.method == Some("prompts/list")
                && let Some(prompt) = message.pointer_mut("/result/prompts/0")
            {
                prompt["icons"] = json!([{ "mimeType": "image/png" }]);
            }
        }),
    )],
};

pub(crate) const M456: Check = Check {
    how: "looks at the URI of every resource",
    fix: "write URIs as RFC 3986 has them: a scheme first, and no spaces",
    judge: |evidence| {
        super::shape::each_item(evidence, "resources", "resources/list", |resource| {
            let uri = resource.message.get("uri")?.as_str()?;
            let scheme = uri.split(':').next().filter(|scheme| scheme.len() < uri.len())?;
            let right = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
                && !uri.contains(|c: char| c.is_whitespace() || c.is_control());
            (!right).then(|| Finding::new("a URI", show(&json!(uri)), resource.place))
        })
    },
    mutants: &[Mutant::new(
        "has a resource with spaces in its URI",
        Mutation::Says(|context, message| {
            if context.method == Some("resources/list")
                && let Some(uri) = message.pointer_mut("/result/resources/1/uri")
            {
                *uri = json!("test://a b");
            }
        }),
    )
    .also(&["M464"])],
};

/// Whether this may stand between the dots of a prefix.
pub(super) fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Judges every key of every `_meta`: its prefix, if it has one, and its name.
pub(super) fn keys(
    evidence: &Evidence,
    judge: impl Fn(Place, Option<&str>, &str) -> Option<Finding>,
) -> Outcome {
    let metas = found(evidence, "_meta");
    let keys = metas.iter().flat_map(|(place, meta)| {
        meta.as_object().into_iter().flatten().map(move |(key, _)| (*place, key))
    });
    let outcome = each(keys, "", |(place, key)| match key.rsplit_once('/') {
        Some((prefix, name)) => judge(place, Some(prefix), name),
        None => judge(place, None, key),
    });
    none_applies(outcome, "the server sends no _meta")
}

/// Every member of this name, wherever it is in a message.
pub(super) fn found<'e>(evidence: &'e Evidence, name: &str) -> Vec<(Place, &'e Value)> {
    let mut all = Vec::new();
    for heard in evidence.heard() {
        search(heard.place, heard.message, name, 0, &mut all);
    }
    all
}

fn search<'e>(
    place: Place,
    value: &'e Value,
    name: &str,
    depth: usize,
    all: &mut Vec<(Place, &'e Value)>,
) {
    if depth > DEEPEST {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if key == name {
                    all.push((place, member));
                } else if key != "structuredContent" && key != "properties" {
                    search(place, member, name, depth + 1, all);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                search(place, item, name, depth + 1, all);
            }
        }
        _ => {}
    }
}

fn is_size(size: &Value) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    size.as_str().is_some_and(|size| {
        size == "any" || size.split_once('x').is_some_and(|(w, h)| digits(w) && digits(h))
    })
}

/// Has this key in `_meta` of its last answer.
pub(super) const fn with_key(name: &'static str, key: &'static str) -> Mutant {
    Mutant::new(name, Mutation::Key { id: "last-ping", key })
}

/// Of values in each other.
const DEEPEST: usize = 16;
