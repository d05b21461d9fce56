//! Streams that arrive in pieces.

/// Numbers from the first line of the input, and what follows it.
///
/// The first line is `LIMIT CUT CUT…`: what the decoder may hold, then the sizes of the pieces, used over and over. Whatever is not a
/// number stands for a default.
pub(crate) struct Cuts<'a> {
    pub(crate) limit: usize,
    sizes: Vec<usize>,
    pub(crate) stream: &'a [u8],
}

impl<'a> Cuts<'a> {
    pub(crate) fn of(data: &'a [u8]) -> Self {
        let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
        let (head, rest) = data.split_at(end);
        let stream = rest.get(1..).unwrap_or_default();
        let head = String::from_utf8_lossy(head);
        let mut numbers = head.split_ascii_whitespace().map(|word| word.parse::<u16>().ok());
        let limit = numbers.next().flatten().map_or(64, usize::from);
        let mut sizes: Vec<usize> =
            numbers.map(|size| size.map_or(1, |size| usize::from(size).max(1))).collect();
        if sizes.is_empty() {
            sizes.push(7);
        }
        Self { limit, sizes, stream }
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = &'a [u8]> {
        let mut rest = self.stream;
        let mut sizes = self.sizes.iter().cycle();
        std::iter::from_fn(move || {
            let size = (*sizes.next()?).min(rest.len());
            if size == 0 {
                return None;
            }
            let (piece, later) = rest.split_at(size);
            rest = later;
            Some(piece)
        })
    }
}
