//! Numbers that look random and are the same for the same seed, on every machine and in every version.

/// The generator `SplitMix64`.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Less than `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.number() % limit).unwrap_or_default()
    }

    pub fn flip(&mut self) -> bool {
        self.number() & 1 == 1
    }

    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut random = Random::new(1);
        assert_eq!(random.number(), 0x910A_2DEC_8902_5CC1);
        let mut order: Vec<u8> = (0..10).collect();
        Random::new(7).shuffle(&mut order);
        let mut again: Vec<u8> = (0..10).collect();
        Random::new(7).shuffle(&mut again);
        assert_eq!(order, again);
        assert_ne!(order, (0..10).collect::<Vec<u8>>());
    }
}
