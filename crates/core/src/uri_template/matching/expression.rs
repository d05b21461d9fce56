//! Where the values of one expression may begin and end.

use super::super::operator::Naming;
use super::super::parse::{Expression, Modifier, Variable};
use super::super::units::Unit;
use super::super::values::Value;
use super::{Bits, Reading};

/// What one expression can do with a URI, given from where the rest of the template matches.
pub(super) struct Table<'a> {
    expression: &'a Expression,
    uri: &'a [Unit],
    reading: Reading,
    /// Whether any variable is exploded.
    explodes: bool,
    next: Bits,
    /// For each variable, where an item of it or of a later variable may begin.
    begin: Vec<Bits>,
    /// For each variable, where an item of it may end.
    end: Vec<Bits>,
}

impl<'a> Table<'a> {
    pub(super) fn new(
        expression: &'a Expression,
        uri: &'a [Unit],
        reading: Reading,
        next: &Bits,
        steps: &mut usize,
    ) -> Self {
        let rows = vec![Bits::new(uri.len() + 1); expression.variables.len()];
        let variables = &expression.variables;
        let explodes = variables.iter().any(|variable| variable.modifier == Modifier::Explode);
        let (begin, end) = (rows.clone(), rows.clone());
        let mut table = Self { expression, uri, reading, explodes, next: next.clone(), begin, end };
        let mut texts = Texts { any: rows.clone(), full: rows };
        let mut nearest = vec![None; variables.len()];
        for at in (0..=uri.len()).rev() {
            for index in (0..variables.len()).rev() {
                *steps += 1 + variables[index].units.as_ref().map_or(0, Vec::len);
                table.fill(at, index, &mut texts, &mut nearest[index]);
            }
        }
        table
    }

    /// Where the first item begins if the expression, present, begins here.
    pub(super) fn entry(&self, at: usize) -> Option<usize> {
        let first = match self.expression.operator.first() {
            Some(mark) if self.is_raw(at, mark) => at + 1,
            Some(_) => return None,
            None => at,
        };
        self.begin[0].has(first).then_some(first)
    }

    /// Takes the preferred values from here on and returns where the expression ends.
    pub(super) fn walk(
        &self,
        start: usize,
        captures: &mut Vec<(&'a Variable, Value)>,
        steps: &mut usize,
    ) -> Option<usize> {
        let variables = &self.expression.variables;
        let mut items: Vec<Vec<String>> = vec![Vec::new(); variables.len()];
        let mut at = start;
        let mut entry = self.entry(at).map(|first| (first, 0));
        while let Some((first, from)) = entry {
            let open = |index: &usize| self.may_repeat(*index) || items[*index].is_empty();
            let item = (from..variables.len())
                .filter(open)
                .find_map(|index| Some((index, self.item(first, index, steps)?)));
            let Some((index, (text, end))) = item else { break };
            items[index].push(text.iter().map(|unit| unit.character).collect());
            at = end;
            entry = self.following(at, index).map(|index| (at + 1, index));
        }
        if !self.next.has(at) {
            return None;
        }
        // Without a mark in front, nothing and an empty value look the same.
        let absent = at == start;
        for (variable, items) in
            variables.iter().zip(items).filter(|(_, items)| !absent && !items.is_empty())
        {
            let value = match variable.modifier {
                Modifier::Explode => Value::List(items),
                Modifier::Whole | Modifier::Prefix(_) => Value::Text(items.concat()),
            };
            captures.push((variable, value));
        }
        Some(at)
    }

    /// Computes one place of one variable's rows; all places to the right, and the later variables here, are known.
    /// `nearest` is the nearest end of a text that begins one place to the right, and then of one that begins here.
    fn fill(&mut self, at: usize, index: usize, texts: &mut Texts, nearest: &mut Option<usize>) {
        let ends = self.next.has(at) || self.following(at, index).is_some();
        let admitted = self.uri.get(at).is_some_and(|&unit| self.admits(unit));
        let reached = nearest.filter(|end| admitted && end - at <= self.limit(index));
        if ends {
            self.end[index].set(at);
        }
        if reached.is_some() {
            texts.full[index].set(at);
        }
        if ends || reached.is_some() {
            texts.any[index].set(at);
        }
        *nearest = if ends { Some(at) } else { nearest.filter(|_| admitted) };
        let begins = self.item_begins(at, index, texts);
        let skips = self.begin.get(index + 1).is_some_and(|later| later.has(at));
        if begins || skips {
            self.begin[index].set(at);
        }
    }

    fn item_begins(&self, at: usize, index: usize, texts: &Texts) -> bool {
        let naming = self.expression.operator.naming();
        if naming == Naming::Unnamed {
            return texts.any[index].has(at);
        }
        let Some(after) = self.after_name(at, index) else { return false };
        let bare = self.end[index].has(after);
        let equals = self.is_raw(after, '=');
        match (self.reading, naming) {
            (Reading::Expanded, Naming::Bare) => bare || equals && texts.full[index].has(after + 1),
            (Reading::Expanded, _) => equals && texts.any[index].has(after + 1),
            (Reading::Typed, _) => bare || equals && texts.any[index].has(after + 1),
        }
    }

    /// The text of an item of this very variable that begins here, and where the item ends.
    fn item(&self, at: usize, index: usize, steps: &mut usize) -> Option<(&'a [Unit], usize)> {
        let naming = self.expression.operator.naming();
        if naming == Naming::Unnamed {
            let end = self.text_end(at, index, steps)?;
            return Some((&self.uri[at..end], end));
        }
        *steps += self.expression.variables[index].name.len();
        let after = self.after_name(at, index)?;
        if self.is_raw(after, '=') {
            let strict = self.reading == Reading::Expanded && naming == Naming::Bare;
            let text =
                self.text_end(after + 1, index, steps).filter(|&end| !strict || end > after + 1);
            if let Some(end) = text {
                return Some((&self.uri[after + 1..end], end));
            }
        }
        let bare = self.end[index].has(after)
            && (self.reading == Reading::Typed || naming == Naming::Bare);
        bare.then_some((&[], after))
    }

    /// The preferred end of a text that begins here: the last before a separator that could end it, or the last of all.
    fn text_end(&self, start: usize, index: usize, steps: &mut usize) -> Option<usize> {
        let splits = index + 1 < self.expression.variables.len();
        let mut best = None;
        for at in start..=start.saturating_add(self.limit(index)).min(self.uri.len()) {
            *steps += 1;
            if self.end[index].has(at) {
                best = Some(at);
            }
            let separated = splits && self.is_raw(at, self.expression.operator.separator());
            if separated && best.is_some()
                || !self.uri.get(at).is_some_and(|&unit| self.admits(unit))
            {
                break;
            }
        }
        best
    }

    /// The variable to try first for an item after a separator here, if there may be one.
    fn following(&self, at: usize, index: usize) -> Option<usize> {
        if !self.is_raw(at, self.expression.operator.separator()) {
            return None;
        }
        let any_order =
            self.reading == Reading::Typed && self.expression.operator.naming() != Naming::Unnamed;
        let first = if any_order { 0 } else { index + 1 };
        let begins = |index: usize| self.begin.get(index).is_some_and(|begin| begin.has(at + 1));
        if begins(first) {
            return Some(first);
        }
        (self.may_repeat(index) && begins(index)).then_some(index)
    }

    fn after_name(&self, at: usize, index: usize) -> Option<usize> {
        let name = self.expression.variables[index].units.as_deref()?;
        self.uri.get(at..)?.starts_with(name).then_some(at + name.len())
    }

    /// An exploded variable takes any number of items, so beside one no text needs to contain a separator.
    fn admits(&self, unit: Unit) -> bool {
        let operator = self.expression.operator;
        let splits = self.explodes && unit == Unit::raw(operator.separator());
        !splits && self.reading.admits(operator, unit)
    }

    fn is_raw(&self, at: usize, character: char) -> bool {
        self.uri.get(at) == Some(&Unit::raw(character))
    }

    fn may_repeat(&self, index: usize) -> bool {
        self.expression.variables[index].modifier == Modifier::Explode
    }

    fn limit(&self, index: usize) -> usize {
        match self.expression.variables[index].modifier {
            Modifier::Prefix(length) => length,
            Modifier::Whole | Modifier::Explode => usize::MAX,
        }
    }
}

/// For each variable, where a text may begin that ends where an item may; `full` ones are not empty.
struct Texts {
    any: Vec<Bits>,
    full: Vec<Bits>,
}
