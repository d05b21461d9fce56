use super::*;
use proptest::prelude::*;

const CONTEXT: &[u8] = b"tools/call alice";

fn key(seed: u8) -> Key {
    Key::new([seed; 32])
}

fn ring() -> Keyring {
    Keyring::new(1, key(1))
}

fn seal(ring: &Keyring, payload: &[u8]) -> String {
    ring.seal(Purpose::RequestState, CONTEXT, payload).unwrap()
}

fn open(ring: &Keyring, token: &str) -> Result<Vec<u8>, SealError> {
    ring.open(Purpose::RequestState, CONTEXT, token)
}

/// Each token that differs from this one in one bit of its text and is still text.
pub(crate) fn bit_flips(token: &str) -> impl Iterator<Item = String> {
    (0..token.len() * 8).filter_map(|bit| {
        let mut bytes = token.as_bytes().to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        String::from_utf8(bytes).ok()
    })
}

#[test]
fn the_tag_is_the_hmac_of_everything_bound() {
    // Computed apart from this code, over label, purpose, lifetime, context length, context, key id and payload.
    assert_eq!(seal(&ring(), b"hello"), EXPECTED);
}

#[test]
fn a_token_with_any_bit_changed_is_refused() {
    for payload in [&b""[..], b"1", b"12", b"123"] {
        let token = seal(&ring(), payload);
        assert_eq!(open(&ring(), &token).unwrap(), payload);
        for changed in bit_flips(&token) {
            assert!(open(&ring(), &changed).is_err(), "{changed}");
        }
    }
}

#[test]
fn every_cut_and_every_extension_is_refused() {
    let token = seal(&ring(), b"payload");
    for end in 0..token.len() {
        assert!(open(&ring(), &token[..end]).is_err());
    }
    assert_eq!(open(&ring(), ""), Err(SealError::TooShort));
    for tail in ["A", "AA", "AAAA", "=", "==", " ", "\n"] {
        assert!(open(&ring(), &format!("{token}{tail}")).is_err(), "{tail:?}");
    }
}

#[test]
fn a_token_opens_only_in_its_context_and_for_its_purpose() {
    let token = seal(&ring(), b"payload");
    assert_eq!(
        ring().open(Purpose::RequestState, b"tools/call bob", &token),
        Err(SealError::Forged)
    );
    assert_eq!(ring().open(Purpose::Cursor, CONTEXT, &token), Err(SealError::Forged));
    assert_eq!(ring().open_at(Purpose::RequestState, CONTEXT, &token, 0), Err(SealError::Forged));
}

#[test]
fn a_byte_cannot_move_from_the_context_into_the_payload() {
    let token = ring().seal(Purpose::Cursor, b"ab", b"c").unwrap();
    assert_eq!(ring().open(Purpose::Cursor, b"a", &token), Err(SealError::Forged));
}

#[test]
fn a_rotated_key_still_opens_until_it_is_forgotten() {
    let mut ring = ring();
    let old = seal(&ring, b"old");
    ring.rotate(2, key(2));
    let new = seal(&ring, b"new");
    assert_eq!(open(&ring, &old).unwrap(), b"old");
    assert_eq!(open(&ring, &new).unwrap(), b"new");
    ring.forget(1);
    assert_eq!(open(&ring, &old), Err(SealError::UnknownKey { id: 1 }));
    assert_eq!(open(&ring, &new).unwrap(), b"new");
}

#[test]
fn an_accepted_key_opens_and_does_not_seal() {
    let mut ring = ring();
    let foreign = seal(&Keyring::new(7, key(7)), b"theirs");
    assert_eq!(open(&ring, &foreign), Err(SealError::UnknownKey { id: 7 }));
    ring.accept(7, key(7));
    assert_eq!(open(&ring, &foreign).unwrap(), b"theirs");
    assert_eq!(seal(&ring, b""), seal(&Keyring::new(1, key(1)), b""));
}

#[test]
fn an_id_means_one_key_only() {
    let mut ring = ring();
    let first = seal(&ring, b"");
    ring.rotate(1, key(2));
    assert_eq!(open(&ring, &first), Err(SealError::Forged));
    ring.accept(1, key(1));
    assert_eq!(open(&ring, &first).unwrap(), b"");
}

#[test]
fn a_token_expires_at_its_second() {
    let token = ring().seal_until(Purpose::RequestState, CONTEXT, b"x", 100).unwrap();
    let open = |now| ring().open_at(Purpose::RequestState, CONTEXT, &token, now);
    assert_eq!(open(99).unwrap(), b"x");
    assert_eq!(open(100), Err(SealError::Expired { at: 100 }));
    assert_eq!(ring().open(Purpose::RequestState, CONTEXT, &token), Err(SealError::Forged));
}

#[test]
fn the_limit_holds_for_making_and_for_opening() {
    let long = seal(&ring(), &[0; 100]);
    let small = ring().with_max_token(long.len() - 1);
    let error = SealError::TooLong { length: long.len(), limit: long.len() - 1 };
    assert_eq!(open(&small, &long), Err(error));
    assert_eq!(small.seal(Purpose::RequestState, CONTEXT, &[0; 100]), Err(error));
    assert!(
        ring().with_max_token(long.len()).seal(Purpose::RequestState, CONTEXT, &[0; 100]).is_ok()
    );
}

#[test]
fn a_key_does_not_show_itself() {
    let shown = format!("{:?}", Keyring::new(1, Key::new([171; 32])));
    assert!(!shown.contains("171") && !shown.to_lowercase().contains("ab"), "{shown}");
}

proptest! {
    #[test]
    fn what_was_sealed_opens(context: Vec<u8>, payload: Vec<u8>, expires in 1u64..) {
        let token = ring().seal(Purpose::Cursor, &context, &payload).unwrap();
        prop_assert_eq!(ring().open(Purpose::Cursor, &context, &token).unwrap(), &payload[..]);
        let token = ring().seal_until(Purpose::Cursor, &context, &payload, expires).unwrap();
        prop_assert_eq!(ring().open_at(Purpose::Cursor, &context, &token, expires - 1).unwrap(), payload);
    }

    #[test]
    fn what_was_not_sealed_does_not_open(token in prop_oneof![any::<String>(), "AQ[A-Za-z0-9_-]{0,60}"]) {
        prop_assert!(open(&ring(), &token).is_err());
        prop_assert!(ring().open_at(Purpose::Cursor, CONTEXT, &token, 0).is_err());
    }
}

const EXPECTED: &str = "AWhlbGxvfQTOBY8g-v7glgZWpJ2fAg";
