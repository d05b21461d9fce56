//! Only what was sealed opens, and only where it was sealed for.
//!
//! The input is three lines: a context, a token to try, and a payload (the rest).

use std::num::NonZeroUsize;

use proofmark_core::{
    cursor::{BadCursor, Cursor, List},
    seal::{Key, Keyring, Purpose},
};

pub fn run(data: &[u8]) {
    let mut parts = data.splitn(3, |&byte| byte == b'\n');
    let context = parts.next().unwrap_or_default();
    let token = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let payload = parts.next().unwrap_or_default();
    let mut keys = Keyring::new(1, Key::new([7; 32]));
    keys.accept(b'A', Key::new([9; 32]));

    // Nobody outside knows the keys.
    for purpose in [Purpose::Cursor, Purpose::RequestState] {
        assert!(keys.open(purpose, context, &token).is_err(), "{token:?}");
        assert!(keys.open_at(purpose, context, &token, 0).is_err(), "{token:?}");
    }
    assert!(Cursor::open(&keys, context, "tools/list", &token).is_err(), "{token:?}");

    sealed(&keys, context, payload);
    cursor(&keys, context, payload);
}

fn sealed(keys: &Keyring, context: &[u8], payload: &[u8]) {
    let Ok(token) = keys.seal(Purpose::RequestState, context, payload) else { return };
    assert_eq!(keys.open(Purpose::RequestState, context, &token).as_deref(), Ok(payload));
    assert!(keys.open(Purpose::Cursor, context, &token).is_err());
    assert!(keys.open_at(Purpose::RequestState, context, &token, 0).is_err());
    assert!(keys.open(Purpose::RequestState, &[context, b"x"].concat(), &token).is_err());
    for at in [0, token.len() / 2, token.len() - 1] {
        let mut changed = token.clone().into_bytes();
        changed[at] = if changed[at] == b'B' { b'C' } else { b'B' };
        let changed = String::from_utf8(changed).expect("tokens are ASCII");
        assert!(keys.open(Purpose::RequestState, context, &changed).is_err(), "{changed}");
    }
    let Ok(token) = keys.seal_until(Purpose::RequestState, context, payload, 10) else { return };
    assert_eq!(keys.open_at(Purpose::RequestState, context, &token, 9).as_deref(), Ok(payload));
    assert!(keys.open_at(Purpose::RequestState, context, &token, 10).is_err());
}

/// A payload that we sealed but did not write as a cursor is a cursor or is refused, and points into any list.
fn cursor(keys: &Keyring, context: &[u8], payload: &[u8]) {
    let Ok(token) = keys.seal(Purpose::Cursor, context, payload) else { return };
    let cursor = match Cursor::open(keys, context, "", &token) {
        Ok(cursor) => cursor,
        Err(BadCursor::Foreign { list }) => {
            Cursor::open(keys, context, &list, &token).expect("its own list is not foreign")
        }
        Err(_) => return,
    };
    assert_eq!(cursor.seal(keys, context).as_deref(), Ok(token.as_str()));
    for names in [&["a", "b", "c", "d"][..], &["d", "b", "a"], &[]] {
        let list = List { name: &cursor.list, version: 1, keys: names };
        let page = list.page(Some(&cursor), NonZeroUsize::MIN.saturating_add(1));
        assert!(page.items.start <= page.items.end && page.items.end <= names.len());
        assert_eq!(page.next.is_some(), page.items.end < names.len());
    }
}
