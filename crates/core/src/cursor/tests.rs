use super::*;
use crate::seal::Key;
use crate::seal::tests::bit_flips;
use proptest::prelude::*;

const LIST: &str = "tools/list";

fn ring() -> Keyring {
    Keyring::new(1, Key::new([1; 32]))
}

fn cursor() -> Cursor {
    Cursor { list: LIST.to_owned(), after: "add".to_owned(), served: 3, version: 9 }
}

fn open(token: &str) -> Result<Cursor, BadCursor> {
    Cursor::open(&ring(), b"alice", LIST, token)
}

fn page(cursor: Option<&Cursor>, keys: &[&str]) -> Page {
    List { name: LIST, version: 9, keys }.page(cursor, NonZeroUsize::new(2).unwrap())
}

/// The keys served from the cursor on, page by page.
fn served<K: AsRef<str>>(mut cursor: Option<Cursor>, keys: &[K], size: NonZeroUsize) -> Vec<&str> {
    let mut all = Vec::new();
    loop {
        let page = List { name: LIST, version: 0, keys }.page(cursor.as_ref(), size);
        all.extend(keys[page.items].iter().map(AsRef::as_ref));
        let Some(next) = page.next else { return all };
        cursor = Some(next);
    }
}

#[test]
fn a_cursor_comes_back_as_it_went() {
    assert_eq!(open(&cursor().seal(&ring(), b"alice").unwrap()), Ok(cursor()));
}

#[test]
fn a_cursor_with_any_bit_changed_is_refused() {
    for changed in bit_flips(&cursor().seal(&ring(), b"alice").unwrap()) {
        assert!(matches!(open(&changed), Err(BadCursor::Unsealed(_))), "{changed}");
    }
}

#[test]
fn each_bad_cursor_has_its_reason() {
    let token = cursor().seal(&ring(), b"alice").unwrap();
    let unsealed = |error| Err(BadCursor::Unsealed(error));
    assert_eq!(open(""), unsealed(SealError::TooShort));
    assert_eq!(open("not a cursor"), unsealed(SealError::Encoding));
    assert_eq!(open(&token[..token.len() - 4]), unsealed(SealError::Forged));
    assert_eq!(
        open(&"A".repeat(65_537)),
        unsealed(SealError::TooLong { length: 65_537, limit: 65_536 })
    );
    assert_eq!(Cursor::open(&ring(), b"bob", LIST, &token), unsealed(SealError::Forged));
    assert_eq!(
        Cursor::open(&ring(), b"alice", "prompts/list", &token),
        Err(BadCursor::Foreign { list: LIST.to_owned() })
    );
    assert_eq!(cursor().of_version(9), Ok(cursor()));
    assert_eq!(cursor().of_version(10), Err(BadCursor::Stale));
}

#[test]
fn a_sealed_payload_without_a_position_is_refused() {
    let mut lying = vec![0; HEADER];
    lying[HEADER - 1] = 1;
    for payload in
        [&b""[..], &[0; HEADER - 1], &lying, &[0xFF; HEADER], &[&[0; HEADER][..], &[0xFF]].concat()]
    {
        let token = ring().seal(Purpose::Cursor, b"alice", payload).unwrap();
        assert_eq!(open(&token), Err(BadCursor::NoPosition), "{payload:?}");
    }
}

#[test]
fn request_state_is_no_cursor() {
    let token = ring().seal(Purpose::RequestState, b"alice", &[0; HEADER]).unwrap();
    assert_eq!(open(&token), Err(BadCursor::Unsealed(SealError::Forged)));
}

#[test]
fn the_last_page_has_no_next() {
    assert_eq!(page(None, &[]), Page { items: 0..0, next: None });
    assert_eq!(page(None, &["b", "a"]), Page { items: 0..2, next: None });
    let first = page(None, &["c", "a", "b"]);
    assert_eq!(first.items, 0..2);
    let next = first.next.unwrap();
    assert_eq!(
        next,
        Cursor { list: LIST.to_owned(), after: "a".to_owned(), served: 2, version: 9 }
    );
    assert_eq!(page(Some(&next), &["c", "a", "b"]), Page { items: 2..3, next: None });
}

#[test]
fn a_page_goes_on_after_its_last_item_wherever_that_is_now() {
    let next = page(None, &["c", "a", "b"]).next.unwrap();
    assert_eq!(page(Some(&next), &["new", "c", "a", "b"]).items, 3..4);
    assert_eq!(page(Some(&next), &["a", "b"]).items, 1..2);
}

#[test]
fn a_page_goes_on_where_its_last_item_stood_if_that_is_gone() {
    let next = page(None, &["c", "a", "b"]).next.unwrap();
    assert_eq!(page(Some(&next), &["c", "b", "a2"]).items, 1..3);
    assert_eq!(page(Some(&next), &["b"]).items, 0..1);
    assert_eq!(page(Some(&next), &[]).items, 0..0);
}

proptest! {
    #[test]
    fn any_cursor_comes_back(list: String, after: String, served: u64, version: u64, context: Vec<u8>) {
        let cursor = Cursor { list: list.clone(), after, served, version };
        let token = cursor.seal(&ring(), &context).unwrap();
        prop_assert!(!token.is_empty());
        prop_assert_eq!(Cursor::open(&ring(), &context, &list, &token), Ok(cursor));
    }

    #[test]
    fn the_pages_of_a_list_are_the_list(
        keys in proptest::collection::hash_set("[a-z]{1,3}", 0..20),
        size in 1usize..8,
    ) {
        let keys: Vec<_> = keys.into_iter().collect();
        prop_assert_eq!(served(None, &keys, NonZeroUsize::new(size).unwrap()), &keys[..]);
    }

    #[test]
    fn what_stays_in_a_sorted_list_is_served_once(
        before in proptest::collection::btree_set("[a-f]{1,2}", 0..20),
        after in proptest::collection::btree_set("[a-f]{1,2}", 0..20),
        size in 1usize..8,
    ) {
        let (before, after): (Vec<_>, Vec<_>) = (before.into_iter().collect(), after.into_iter().collect());
        let size = NonZeroUsize::new(size).unwrap();
        let first = List { name: LIST, version: 0, keys: &before }.page(None, size);
        let Some(next) = first.next else { return Ok(()) };
        let mut seen: Vec<&str> = before[first.items].iter().map(AsRef::as_ref).collect();
        seen.extend(served(Some(next), &after, size));
        prop_assert!(seen.is_sorted_by(|a, b| a < b), "{:?}", seen);
        for key in before.iter().filter(|key| after.contains(key)) {
            prop_assert!(seen.contains(&key.as_str()), "{key} is missing in {:?}", seen);
        }
    }

    #[test]
    fn no_cursor_leads_out_of_the_list(
        after in "[a-c]{0,2}",
        served: u64,
        keys in proptest::collection::vec("[a-c]{1,2}", 0..6),
        size in 1usize..,
    ) {
        let cursor = Cursor { list: LIST.to_owned(), after, served, version: 0 };
        let list = List { name: LIST, version: 0, keys: &keys };
        let page = list.page(Some(&cursor), NonZeroUsize::new(size).unwrap());
        prop_assert!(page.items.start <= page.items.end && page.items.end <= keys.len());
    }
}
