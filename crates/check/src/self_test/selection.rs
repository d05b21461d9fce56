//! Which mutants or variations are run.

/// A choice that is the same on every machine.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub seed: u64,
    /// So many mutants, or so many variations of each class, legal and illegal ones each; all without it.
    pub sample: Option<usize>,
    /// Only mutants of these requirements, of this side of one (`M001 client`), or with this in their name; variations with all of
    /// these in their label.
    pub only: Vec<String>,
}

impl Selection {
    pub(super) fn is_everything(&self) -> bool {
        self.sample.is_none() && self.only.is_empty()
    }

    /// The items of the sample. Seeds that follow on each other take what follows on each other, so that after some of them every item
    /// had its turn.
    pub(super) fn in_turn<T>(&self, mut items: Vec<T>, label: impl Fn(&T) -> String) -> Vec<T> {
        let all = items.len();
        let Some(sample) = self.sample.filter(|sample| *sample < all) else { return items };
        items.sort_by_cached_key(|item| hash(0, &label(item)));
        let all = u128::try_from(all).unwrap_or(1);
        let begin = u128::from(self.seed) * u128::try_from(sample).unwrap_or(0) % all;
        items.rotate_left(usize::try_from(begin).unwrap_or(0));
        items.truncate(sample);
        items
    }
}

/// FNV-1a of the name, begun with the seed and stirred at the end; the same on every machine.
pub(super) fn hash(seed: u64, text: &str) -> u64 {
    let mut hash = seed ^ 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn two_days_of_a_half_are_the_whole() {
        let items: Vec<u32> = (0..101).collect();
        for first in [0, 7, 20_773] {
            let of_day = |seed| {
                let selection = Selection { seed, sample: Some(51), only: Vec::new() };
                selection.in_turn(items.clone(), u32::to_string)
            };
            assert_eq!(of_day(first).len(), 51);
            let both: BTreeSet<u32> = of_day(first).into_iter().chain(of_day(first + 1)).collect();
            assert_eq!(both.len(), items.len());
        }
    }
}
