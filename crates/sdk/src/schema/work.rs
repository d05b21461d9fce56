//! Estimates from the shape of a value what applying a schema to it will cost, before it is applied.

use std::collections::HashMap;

use serde_json::Value;

use super::{SchemaLimits, admission::Node, error::SchemaError, keywords::Target};

/// What a schema costs for each value at each depth of an instance.
///
/// The estimate is an upper bound: it assumes that no keyword fails early, and where it cannot tell which of two keywords
/// applies to a property or an item, it counts both.
pub(super) struct Work {
    /// Cost of one value at this depth; the root of an instance is at depth 0. Values deeper than the table cost one step.
    steps: Vec<u64>,
    /// The deepest instance for which the validator's recursion stays within [`NESTED_APPLICATIONS`].
    depth: usize,
}

impl Work {
    /// Node 0 is the root.
    pub(super) fn plan(nodes: &[Node<'_>], limits: &SchemaLimits) -> Result<Self, SchemaError> {
        let order = children_first(nodes)?;
        let mut height = vec![1_u64; nodes.len()];
        let mut branches = vec![1_u64; nodes.len()];
        let mut cost = vec![0_u64; nodes.len()];
        let mut reach: Vec<Reach<'_>> = Vec::new();
        reach.resize_with(nodes.len(), HashMap::new);
        let mut reached = 0_u64;
        for &at in &order {
            let node = &nodes[at];
            height[at] += node.same.iter().map(|&child| height[child]).max().unwrap_or(0);
            // Each level below may be looked at again to learn what it evaluated.
            let again = 1 + node.unevaluated * height[at];
            cost[at] = node.weight;
            let mut own = Reach::new();
            for &(target, child) in &node.below {
                add(&mut own, (target, child), 1);
            }
            for &child in &node.same {
                branches[at] = branches[at].saturating_add(branches[child].saturating_mul(again));
                cost[at] = cost[at].saturating_add(cost[child].saturating_mul(again));
                for (&key, &times) in &reach[child] {
                    add(&mut own, key, times.saturating_mul(again));
                }
            }
            reached = reached.saturating_add(own.len() as u64);
            reach[at] = own;
            if branches[at] > limits.branches || reached > limits.branches {
                return Err(SchemaError::TooManyBranches { limit: limits.branches });
            }
            if height[at] > NESTED_APPLICATIONS {
                return Err(SchemaError::TooLongChain { limit: NESTED_APPLICATIONS });
            }
        }
        let reach: Vec<_> = reach.into_iter().map(sorted).collect();
        Ok(Self {
            steps: steps_by_depth(&reach, cost, limits.depth),
            depth: deepest_instance(nodes, &order, limits.depth),
        })
    }

    /// Saturates when the instance is too deep for the validator's recursion.
    pub(super) fn estimate(&self, instance: &Value) -> u64 {
        self.cost(instance, 0)
    }

    /// More than any value with this text is estimated at: each of its parts takes a byte or more.
    pub(super) fn at_most(&self, text: &str) -> u64 {
        let dearest = self.steps.iter().copied().max().unwrap_or(1).max(1);
        dearest.saturating_mul(text.len() as u64)
    }

    fn cost(&self, value: &Value, depth: usize) -> u64 {
        if depth > self.depth {
            return u64::MAX;
        }
        let each = self.steps.get(depth).map_or(1, |&steps| steps.max(1));
        match value {
            Value::Array(list) => {
                list.iter().fold(each, |sum, value| sum.saturating_add(self.cost(value, depth + 1)))
            }
            Value::Object(map) => map.iter().fold(each, |sum, (name, value)| {
                let name = each.saturating_mul(length(name) - 1);
                sum.saturating_add(name).saturating_add(self.cost(value, depth + 1))
            }),
            Value::String(text) => each.saturating_mul(length(text)),
            _ => each,
        }
    }
}

/// How often a subschema is applied to each part of a value.
type Reach<'a> = HashMap<(Target<'a>, usize), u64>;

fn add<'a>(reach: &mut Reach<'a>, key: (Target<'a>, usize), times: u64) {
    let entry = reach.entry(key).or_insert(0);
    *entry = entry.saturating_add(times);
}

fn sorted(reach: Reach<'_>) -> Vec<(Target<'_>, usize, u64)> {
    let mut list: Vec<_> =
        reach.into_iter().map(|((target, child), times)| (target, child, times)).collect();
    list.sort_unstable();
    list
}

/// Strings are searched and compared: a long one costs more.
fn length(text: &str) -> u64 {
    1 + text.len() as u64 / 64
}

/// Orders nodes so that whatever a node applies to its own value comes before it.
fn children_first(nodes: &[Node<'_>]) -> Result<Vec<usize>, SchemaError> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut state = vec![State::New; nodes.len()];
    for start in 0..nodes.len() {
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.pop() {
            if next == 0 && state[at] == State::Done {
                continue;
            }
            state[at] = State::Open;
            let Some(&child) = nodes[at].same.get(next) else {
                state[at] = State::Done;
                order.push(at);
                continue;
            };
            path.push((at, next + 1));
            match state[child] {
                State::New => path.push((child, 0)),
                State::Open => return Err(SchemaError::Endless(nodes[child].place.clone())),
                State::Done => {}
            }
        }
    }
    Ok(order)
}

/// For each depth below the root, the most that one value there can cost.
fn steps_by_depth(
    reach: &[Vec<(Target<'_>, usize, u64)>],
    cost: Vec<u64>,
    depth: usize,
) -> Vec<u64> {
    let mut steps = vec![cost[0]];
    let mut deeper = cost;
    for _ in 0..depth {
        deeper = reach.iter().map(|reach| dearest_part(reach, &deeper)).collect();
        if deeper.iter().all(|&cost| cost == 0) {
            break;
        }
        steps.push(deeper[0]);
    }
    steps
}

/// The most that any one property or item costs; what applies to any of them adds to each. `reach` is sorted by target.
fn dearest_part(reach: &[(Target<'_>, usize, u64)], cost: &[u64]) -> u64 {
    let (mut property, mut any_property, mut item, mut any_item) = (0, 0_u64, 0, 0_u64);
    for part in reach.chunk_by(|a, b| a.0 == b.0) {
        let sum = part.iter().fold(0_u64, |sum, &(_, child, times)| {
            sum.saturating_add(cost[child].saturating_mul(times))
        });
        match part[0].0 {
            Target::Property(_) => property = sum.max(property),
            Target::AnyProperty => any_property = sum,
            Target::Item(_) => item = sum.max(item),
            Target::AnyItem => any_item = sum,
            Target::Same | Target::Nothing => {}
        }
    }
    any_property.saturating_add(property).max(any_item.saturating_add(item))
}

fn deepest_instance(nodes: &[Node<'_>], order: &[usize], limit: usize) -> usize {
    let mut above = vec![0_u64; nodes.len()];
    for depth in 0..=limit {
        let mut nested = vec![0_u64; nodes.len()];
        for &at in order {
            let same = nodes[at].same.iter().map(|&child| nested[child]);
            let below = nodes[at].below.iter().map(|&(_, child)| above[child]);
            nested[at] = 1 + same.chain(below).max().unwrap_or(0);
        }
        if nested[0] > NESTED_APPLICATIONS {
            return depth.saturating_sub(1);
        }
        above = nested;
    }
    limit
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// How many subschemas may be applied within each other: the validator recurses, and a stack overflow ends the process.
const NESTED_APPLICATIONS: u64 = 512;
