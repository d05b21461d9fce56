//! From a URI back to values: one table from the right, one walk from the left.
//!
//! The table says for each place in the template from which places in the URI the rest can match. The walk from the
//! left then takes the preferred choice among those the table allows, so it never has to turn back.

mod bits;
mod expression;

use super::operator::Operator;
use super::parse::{Modifier, Part, Variable};
use super::units::{self, Unit};
use super::values::{Captures, Value, Values};
use bits::Bits;
use expression::Table;

pub(super) fn matches(parts: &[Part], uri: &str) -> Option<Captures> {
    let uri = units::units(uri)?;
    if let Some(Part::Literal(literal)) = parts.first()
        && !uri.starts_with(literal.units.as_deref()?)
    {
        return None;
    }
    let mut steps = 0;
    read(parts, &uri, Reading::Expanded, &mut steps)
        .or_else(|| read(parts, &uri, Reading::Typed, &mut steps))
}

/// What a URI is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Exactly what expansion writes.
    Expanded,
    /// What a person writes: reserved characters unencoded, pairs in any order.
    Typed,
}

impl Reading {
    /// Whether a value may contain this unit.
    fn admits(self, operator: Operator, unit: Unit) -> bool {
        let character = unit.character;
        let reserved = units::is_reserved(character);
        if self == Self::Expanded {
            return !reserved || unit.encoded != operator.keeps_reserved();
        }
        if unit.encoded || !reserved || operator.keeps_reserved() {
            return true;
        }
        match operator {
            Operator::Query | Operator::Continuation => !"&#[]".contains(character),
            Operator::Parameter => !";/?#[]".contains(character),
            _ => !"/?#[]".contains(character),
        }
    }
}

/// `steps` counts the work, for tests to hold it against the promised bound.
fn read(parts: &[Part], uri: &[Unit], reading: Reading, steps: &mut usize) -> Option<Captures> {
    let mut reach = vec![Bits::new(uri.len() + 1); parts.len() + 1];
    reach[parts.len()].set(uri.len());
    let mut tables = Vec::new();
    for (index, part) in parts.iter().enumerate().rev() {
        let (before, after) = reach.split_at_mut(index + 1);
        let (from, next) = (&mut before[index], &after[0]);
        match part {
            Part::Literal(literal) => {
                let literal = literal.units.as_deref()?;
                *steps += literal.len() * (uri.len() + 1);
                for at in 0..=uri.len() {
                    if next.has(at + literal.len()) && uri[at..].starts_with(literal) {
                        from.set(at);
                    }
                }
            }
            Part::Expression(expression) => {
                let table = Table::new(expression, uri, reading, next, steps);
                for at in (0..=uri.len()).filter(|&at| next.has(at) || table.entry(at).is_some()) {
                    from.set(at);
                }
                tables.push(table);
            }
        }
    }
    if !reach[0].has(0) {
        return None;
    }
    let mut captures = Vec::new();
    let mut at = 0;
    for part in parts {
        match part {
            Part::Literal(literal) => at += literal.units.as_ref()?.len(),
            Part::Expression(_) => at = tables.pop()?.walk(at, &mut captures, steps)?,
        }
    }
    merge(captures)
}

/// One value for each name, or `None` if two disagree.
fn merge(captures: Vec<(&Variable, Value)>) -> Option<Captures> {
    let mut values = Values::default();
    let mut prefixes = Vec::new();
    for (variable, value) in captures {
        match (values.get(&variable.name), value) {
            (_, Value::Text(text)) if matches!(variable.modifier, Modifier::Prefix(_)) => {
                prefixes.push((variable, text));
            }
            (Some(earlier), value) if *earlier != value => return None,
            (_, value) => values.insert(&variable.name, value),
        }
    }
    // The longest first: the shorter ones must then be its beginning.
    prefixes.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    for (variable, text) in prefixes {
        let Some(value) = values.get(&variable.name) else {
            values.insert(&variable.name, text);
            continue;
        };
        let Value::Text(whole) = value else { return None };
        let Modifier::Prefix(length) = variable.modifier else { return None };
        let agrees = whole.starts_with(&text)
            && (whole.len() == text.len() || text.chars().count() == length);
        if !agrees {
            return None;
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests;
