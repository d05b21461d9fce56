//! A set of places in a URI.

#[derive(Clone)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// An empty set of numbers below `size`.
    pub(super) fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(WORD)])
    }

    pub(super) fn set(&mut self, index: usize) {
        self.0[index / WORD] |= 1 << (index % WORD);
    }

    /// Also answers for numbers out of range: no.
    pub(super) fn has(&self, index: usize) -> bool {
        self.0.get(index / WORD).is_some_and(|word| word >> (index % WORD) & 1 == 1)
    }
}

const WORD: usize = 64;
