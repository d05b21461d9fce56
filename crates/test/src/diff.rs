//! How two JSON values differ, as a person would mark it: what is the same around it, `-` what was expected, `+` what came.

use serde_json::Value;

use crate::value::same;

/// A line of a diff begins with `-`, `+` or a space.
pub(crate) fn lines(expected: &Value, actual: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    walk(&mut lines, expected, actual, "", 0);
    if lines.len() > MOST_LINES {
        let rest = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("  … {rest} more lines"));
    }
    lines
}

fn walk(lines: &mut Vec<String>, expected: &Value, actual: &Value, label: &str, indent: usize) {
    match (expected, actual) {
        _ if same(expected, actual) => push(lines, ' ', indent, label, actual),
        (Value::Object(one), Value::Object(other)) => {
            lines.push(format!("  {:indent$}{label}{{", ""));
            let mut equal = 0;
            let names: std::collections::BTreeSet<&String> =
                one.keys().chain(other.keys()).collect();
            for name in names {
                let label = format!("{}: ", Value::String(name.clone()));
                match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) if same(one, other) => equal += 1,
                    (Some(one), Some(other)) => walk(lines, one, other, &label, indent + 2),
                    (Some(one), None) => push(lines, '-', indent + 2, &label, one),
                    (None, Some(other)) => push(lines, '+', indent + 2, &label, other),
                    (None, None) => {}
                }
            }
            same_left(lines, equal, "members", indent);
            lines.push(format!("  {:indent$}}}", ""));
        }
        (Value::Array(one), Value::Array(other)) => {
            lines.push(format!("  {:indent$}{label}[", ""));
            let mut equal = 0;
            for step in align(one, other) {
                match step {
                    (Some(one), Some(other)) if same(one, other) => equal += 1,
                    (Some(one), Some(other)) => walk(lines, one, other, "", indent + 2),
                    (Some(one), None) => push(lines, '-', indent + 2, "", one),
                    (None, Some(other)) => push(lines, '+', indent + 2, "", other),
                    (None, None) => {}
                }
            }
            same_left(lines, equal, "items", indent);
            lines.push(format!("  {:indent$}]", ""));
        }
        (Value::String(one), Value::String(other))
            if one.contains('\n') && other.contains('\n') =>
        {
            lines.push(format!("  {:indent$}{label}text:", ""));
            let split = |text: &str| -> Vec<Value> { text.split('\n').map(Value::from).collect() };
            let (one, other) = (split(one), split(other));
            let line = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let indent = indent + 2;
            for step in align(&one, &other) {
                match step {
                    (Some(one), Some(other)) if same(one, other) => {
                        lines.push(format!("  {:indent$}{}", "", line(one)));
                    }
                    (one, other) => {
                        lines.extend(one.map(|it| format!("- {:indent$}{}", "", line(it))));
                        lines.extend(other.map(|it| format!("+ {:indent$}{}", "", line(it))));
                    }
                }
            }
        }
        _ => {
            push(lines, '-', indent, label, expected);
            push(lines, '+', indent, label, actual);
        }
    }
}

fn same_left(lines: &mut Vec<String>, equal: usize, what: &str, indent: usize) {
    if equal > 0 {
        lines.push(format!("  {:indent$}  … {equal} {what} are the same", ""));
    }
}

fn push(lines: &mut Vec<String>, mark: char, indent: usize, label: &str, value: &Value) {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    for (number, line) in text.lines().enumerate() {
        let label = if number == 0 { label } else { "" };
        lines.push(format!("{mark} {:indent$}{label}{line}", ""));
    }
}

type Pair<'v> = (Option<&'v Value>, Option<&'v Value>);

/// Which items belong together: the longest run of equal ones, and what lies between in pairs.
fn align<'v>(one: &'v [Value], other: &'v [Value]) -> Vec<Pair<'v>> {
    if one.len() * other.len() > MOST_COMPARED {
        let longest = one.len().max(other.len());
        return (0..longest).map(|at| (one.get(at), other.get(at))).collect();
    }
    let width = other.len() + 1;
    let mut longest = vec![0_u32; (one.len() + 1) * width];
    for (row, left) in one.iter().enumerate().rev() {
        for (column, right) in other.iter().enumerate().rev() {
            longest[row * width + column] = if same(left, right) {
                longest[(row + 1) * width + column + 1] + 1
            } else {
                longest[(row + 1) * width + column].max(longest[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column) = (0, 0);
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let mut pairs = Vec::new();
    while row < one.len() && column < other.len() {
        if same(&one[row], &other[column]) {
            pair_up(&mut pairs, &mut gone, &mut come);
            pairs.push((Some(&one[row]), Some(&other[column])));
            row += 1;
            column += 1;
        } else if longest[(row + 1) * width + column] >= longest[row * width + column + 1] {
            gone.push(&one[row]);
            row += 1;
        } else {
            come.push(&other[column]);
            column += 1;
        }
    }
    gone.extend(&one[row..]);
    come.extend(&other[column..]);
    pair_up(&mut pairs, &mut gone, &mut come);
    pairs
}

fn pair_up<'v>(pairs: &mut Vec<Pair<'v>>, gone: &mut Vec<&'v Value>, come: &mut Vec<&'v Value>) {
    let count = gone.len().max(come.len());
    for at in 0..count {
        pairs.push((gone.get(at).copied(), come.get(at).copied()));
    }
    gone.clear();
    come.clear();
}

const MOST_LINES: usize = 200;
const MOST_COMPARED: usize = 250_000;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_differs_is_marked() {
        let expected = json!({"a": 1, "b": [1, 2, 3], "c": {"d": "x"}, "e": true});
        let actual = json!({"a": 1, "b": [1, 3], "c": {"d": "y"}, "f": null});
        let shown = lines(&expected, &actual).join("\n");
        let wanted = "  {\n    \"b\": [\n-     2\n      … 2 items are the same\n    ]\n    \"c\": {\n-     \"d\": \"x\"\n+     \"d\": \"y\"\n    }\n-   \"e\": true\n+   \"f\": null\n    … 1 members are the same\n  }";
        assert_eq!(shown, wanted);
    }

    #[test]
    fn texts_are_compared_line_by_line() {
        let shown = lines(&json!("one\ntwo\nthree"), &json!("one\n2\nthree")).join("\n");
        assert_eq!(shown, "  text:\n    one\n-   two\n+   2\n    three");
    }

    #[test]
    fn equal_values_have_no_marks() {
        let marked = |line: &String| line.starts_with(['-', '+']);
        assert!(!lines(&json!({"a": [1, 2]}), &json!({"a": [1.0, 2]})).iter().any(marked));
    }

    #[test]
    fn long_lists_are_shown_in_part() {
        let one: Vec<usize> = (0..2000).collect();
        let other: Vec<usize> = (1000..3000).collect();
        assert!(lines(&json!(one), &json!(other)).len() <= MOST_LINES + 1);
    }
}
