//! From values to a URI.

use super::operator::{Naming, Operator};
use super::parse::{Expression, Modifier, Part, Variable};
use super::units::{self, TRIPLET};
use super::values::{Value, Values};

pub(super) fn expand(parts: &[Part], values: &Values) -> String {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) => out.push_str(&literal.encoded),
            Part::Expression(expression) => write_expression(expression, values, &mut out),
        }
    }
    out
}

fn write_expression(expression: &Expression, values: &Values, out: &mut String) {
    let operator = expression.operator;
    let mut items = Items { operator, started: false, out };
    for variable in &expression.variables {
        let explode = variable.modifier == Modifier::Explode;
        match values.get(&variable.name) {
            None => {}
            Some(Value::Text(text)) => {
                items.begin();
                items.named(&variable.name, prefix(text, variable, operator));
            }
            Some(Value::List(list)) if explode => {
                for item in list {
                    items.begin();
                    items.named(&variable.name, item);
                }
            }
            Some(Value::Map(map)) if explode => {
                for (key, value) in map {
                    items.begin();
                    items.pair(key, value);
                }
            }
            Some(Value::List(list)) => items.joined(&variable.name, list),
            Some(Value::Map(map)) => {
                items.joined(&variable.name, map.iter().flat_map(|(key, value)| [key, value]));
            }
        }
    }
}

/// The output of one expression, which knows what stands before each item.
struct Items<'a> {
    operator: Operator,
    started: bool,
    out: &'a mut String,
}

impl Items<'_> {
    fn begin(&mut self) {
        let mark =
            if self.started { Some(self.operator.separator()) } else { self.operator.first() };
        self.out.extend(mark);
        self.started = true;
    }

    /// A value, behind its variable's name if the operator wants it.
    fn named(&mut self, name: &str, value: &str) {
        match self.operator.naming() {
            Naming::Unnamed => {}
            Naming::Bare if value.is_empty() => self.out.push_str(name),
            Naming::Bare | Naming::Equals => {
                self.out.push_str(name);
                self.out.push('=');
            }
        }
        encode(value, self.operator, self.out);
    }

    /// An entry of an associative array, which is named whatever the operator.
    fn pair(&mut self, key: &str, value: &str) {
        encode(key, self.operator, self.out);
        if !value.is_empty() || self.operator.naming() != Naming::Bare {
            self.out.push('=');
        }
        encode(value, self.operator, self.out);
    }

    /// All members as one item.
    fn joined<'m>(&mut self, name: &str, members: impl IntoIterator<Item = &'m String>) {
        let mut members = members.into_iter().peekable();
        if members.peek().is_none() {
            return;
        }
        self.begin();
        if self.operator.naming() != Naming::Unnamed {
            self.out.push_str(name);
            self.out.push('=');
        }
        while let Some(member) = members.next() {
            encode(member, self.operator, self.out);
            self.out.extend(members.peek().map(|_| ','));
        }
    }
}

fn encode(value: &str, operator: Operator, out: &mut String) {
    for (at, character) in value.char_indices() {
        let kept = match character {
            '%' => operator.keeps_reserved() && units::triplet(&value[at..]).is_some(),
            _ if units::is_reserved(character) => operator.keeps_reserved(),
            _ => units::is_unreserved(character),
        };
        if kept {
            out.push(character);
        } else {
            units::encode(character, out);
        }
    }
}

/// The first characters of a value. Where triplets are kept, those of one character count once and stay together.
fn prefix<'a>(text: &'a str, variable: &Variable, operator: Operator) -> &'a str {
    let Modifier::Prefix(length) = variable.modifier else { return text };
    let mut characters = 0;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let octet = units::triplet(&text[at..]).filter(|_| operator.keeps_reserved());
        let continues = octet.is_some_and(|octet| (0x80..0xC0).contains(&octet));
        if !continues && characters == length {
            break;
        }
        characters += usize::from(!continues);
        at += if octet.is_some() { TRIPLET } else { character.len_utf8() };
    }
    &text[..at]
}
