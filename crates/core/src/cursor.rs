//! Opaque positions in lists that are served in pages.
//!
//! A cursor remembers the key (name or URI) of the last item served, so that a list may change between two pages: what
//! was there all the time is served once. Cursors are [sealed](crate::seal): only what this server issued comes in.

use std::num::NonZeroUsize;
use std::ops::Range;

use crate::seal::{Keyring, Purpose, SealError};

/// Where a page ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The list it belongs to: the method's name.
    pub list: String,
    /// The key of the last item served.
    pub after: String,
    /// How many items came before the next page, the one of `after` included.
    pub served: u64,
    /// The list's version when the page was made; a server that cannot continue in a changed list
    /// [refuses](Self::of_version) others.
    pub version: u64,
}

/// Why a cursor is of no use; the answer to all of them is "invalid params".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCursor {
    /// Issued here for another list than the one asked.
    #[error("the cursor belongs to {list}")]
    Foreign { list: String },
    #[error("the cursor does not hold a position")]
    NoPosition,
    #[error("the list has changed since the cursor was issued")]
    Stale,
    #[error("bad cursor: {0}")]
    Unsealed(#[from] SealError),
}

/// A list as it is now.
#[derive(Clone, Copy, Debug)]
pub struct List<'a, K> {
    /// As in [`Cursor::list`].
    pub name: &'a str,
    pub version: u64,
    /// The keys of all items, each once, in the order they are served.
    pub keys: &'a [K],
}

/// Which items to serve, and how to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    pub items: Range<usize>,
    /// `None` after the last item.
    pub next: Option<Cursor>,
}

impl Cursor {
    /// The context is what else the cursor is bound to, such as the principal.
    ///
    /// Fails only if `after` is so long that the token exceeds the keyring's limit.
    pub fn seal(&self, keys: &Keyring, context: &[u8]) -> Result<String, SealError> {
        let mut payload = Vec::with_capacity(HEADER + self.list.len() + self.after.len());
        payload.extend(self.version.to_be_bytes());
        payload.extend(self.served.to_be_bytes());
        payload.extend((self.list.len() as u64).to_be_bytes());
        payload.extend(self.list.as_bytes());
        payload.extend(self.after.as_bytes());
        keys.seal(Purpose::Cursor, context, &payload)
    }

    /// Takes back a cursor of this list. The empty string is never one.
    pub fn open(
        keys: &Keyring,
        context: &[u8],
        list: &str,
        token: &str,
    ) -> Result<Self, BadCursor> {
        let payload = keys.open(Purpose::Cursor, context, token)?;
        let cursor = Self::decode(&payload).ok_or(BadCursor::NoPosition)?;
        if cursor.list != list {
            return Err(BadCursor::Foreign { list: cursor.list });
        }
        Ok(cursor)
    }

    /// Refuses a cursor from another version of the list.
    pub fn of_version(self, version: u64) -> Result<Self, BadCursor> {
        if self.version == version { Ok(self) } else { Err(BadCursor::Stale) }
    }

    fn decode(payload: &[u8]) -> Option<Self> {
        let (version, rest) = payload.split_first_chunk()?;
        let (served, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u64::from_be_bytes(*length)).ok()?;
        let (list, after) = rest.split_at_checked(length)?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        Some(Self {
            list: text(list)?,
            after: text(after)?,
            served: u64::from_be_bytes(*served),
            version: u64::from_be_bytes(*version),
        })
    }

    /// The index of the item to go on with.
    fn resume<K: AsRef<str>>(&self, keys: &[K]) -> usize {
        let served = usize::try_from(self.served).unwrap_or(usize::MAX);
        let is_last = |key: &K| key.as_ref() == self.after;
        let guess = served.checked_sub(1).filter(|&index| keys.get(index).is_some_and(is_last));
        if let Some(index) = guess.or_else(|| keys.iter().position(is_last)) {
            return index + 1;
        }
        if keys.is_sorted_by_key(AsRef::as_ref) {
            return keys.partition_point(|key| key.as_ref() < self.after.as_str());
        }
        served.saturating_sub(1).min(keys.len())
    }
}

impl<K: AsRef<str>> List<'_, K> {
    /// The page that begins after the cursor, or at the beginning.
    ///
    /// If the item served last is gone, the page goes on where it would stand in a list sorted by key (bytewise), and
    /// in another list where it stood.
    pub fn page(&self, cursor: Option<&Cursor>, size: NonZeroUsize) -> Page {
        let total = self.keys.len();
        let start = cursor.map_or(0, |cursor| cursor.resume(self.keys));
        let end = start.saturating_add(size.get()).min(total);
        let last = self.keys[..end].last().filter(|_| end < total);
        let next = last.map(|key| Cursor {
            list: self.name.to_owned(),
            after: key.as_ref().to_owned(),
            served: end as u64,
            version: self.version,
        });
        Page { items: start..end, next }
    }
}

/// The bytes before the texts.
const HEADER: usize = 3 * size_of::<u64>();

#[cfg(test)]
mod tests;
