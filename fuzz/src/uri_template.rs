//! Templates and URIs of any form are read within bounds, and the laws of the module hold.
//!
//! The first line is a template and the second a URI. Each further line sets a variable: `name=text` or `name*=item,item`.

use proofmark_core::uri_template::{UriTemplate, Value, Values};

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let source = lines.next().unwrap_or_default();
    let Ok(template) = UriTemplate::parse(source) else { return };
    assert_eq!(template.to_string(), source);

    if let Some(captures) = template.matches(lines.next().unwrap_or_default()) {
        let names: Vec<_> = template.variables().collect();
        assert!(captures.iter().all(|(name, _)| names.contains(&name)), "{captures:?}");
        assert!(captures.iter().all(|(_, value)| !matches!(value, Value::Map(_))), "{captures:?}");
        lawful(&template, &captures);
    }
    let values: Values = lines.filter_map(|line| line.split_once('=')).map(value).collect();
    lawful(&template, &values);
}

fn value((name, text): (&str, &str)) -> (String, Value) {
    match name.strip_suffix('*') {
        Some(name) => {
            (name.to_owned(), text.split(',').map(str::to_owned).collect::<Vec<_>>().into())
        }
        None => (name.to_owned(), text.into()),
    }
}

/// What expansion writes, matching accepts, and expanding the captures writes the same URI.
fn lawful(template: &UriTemplate, values: &Values) {
    let uri = template.expand(values);
    let captures = template.matches(&uri);
    if !under_the_law(template, values) {
        return;
    }
    // A literal whose octets are not UTF-8 matches nothing, not even itself.
    let Some(captures) = captures else {
        assert!(has_broken_literal(template), "{template} does not match its own {uri:?}");
        return;
    };
    assert_eq!(template.expand(&captures), uri, "{template} with {values:?}");
}

/// Each variable is named once, no value has a percent sign, and only exploded variables have lists.
fn under_the_law(template: &UriTemplate, values: &Values) -> bool {
    let mut names: Vec<_> = template.variables().collect();
    names.sort_unstable();
    let once = names.windows(2).all(|pair| pair[0] != pair[1]);
    let source = template.to_string();
    let allowed = |(name, value): (&str, &Value)| match value {
        Value::Text(text) => !text.contains('%'),
        Value::List(items) => {
            is_exploded(&source, name) && items.iter().all(|item| !item.contains('%'))
        }
        Value::Map(_) => false,
    };
    once && values.iter().filter(|(name, _)| names.contains(name)).all(allowed)
}

fn is_exploded(source: &str, name: &str) -> bool {
    let expressions = source.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    expressions
        .flat_map(|inside| {
            inside.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).split(',')
        })
        .any(|variable| variable.strip_suffix('*') == Some(name))
}

fn has_broken_literal(template: &UriTemplate) -> bool {
    template.to_string().contains('%')
}
