use proptest::prelude::*;

use super::*;

fn raw(json: &str) -> RawRef<'_> {
    serde_json::from_str(json).unwrap()
}

#[test]
fn safe_text_stays_as_it_is() {
    for text in ["us-west1", "", "a b\tc", "=?base64?SGVsbG8=", "SGVsbG8=?=", "file:///a%20b"] {
        assert_eq!(encode(text), text);
        assert_eq!(decode(text.as_bytes()), Ok(Cow::Borrowed(text)));
    }
}

#[test]
fn text_that_a_header_would_spoil_is_encoded() {
    for (text, header) in [
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("\tx", "=?base64?CXg=?="),
        ("a\r\nSet-Cookie: b", "=?base64?YQ0KU2V0LUNvb2tpZTogYg==?="),
        ("\0", "=?base64?AA==?="),
        ("\u{7f}", "=?base64?fw==?="),
    ] {
        assert_eq!(encode(text), header);
        assert_eq!(decode(header.as_bytes()).unwrap(), text);
    }
}

#[test]
fn white_space_around_a_value_does_not_count() {
    assert_eq!(decode(b" \t name \t").unwrap(), "name");
}

#[test]
fn a_value_without_text_says_why() {
    for (value, why) in [
        (&b"=?base64?SGVsbG8?="[..], Malformed::NotBase64),
        (b"=?base64?SGVs!!!bG8=?=", Malformed::NotBase64),
        (b"=?base64?SGVsbG9=?=", Malformed::NotBase64),
        (b"=?base64?/w==?=", Malformed::NotUtf8),
        (b"ab\xc3\xa9", Malformed::ForbiddenByte { at: 2 }),
        (b"a\nb", Malformed::ForbiddenByte { at: 1 }),
        (b"\x7f", Malformed::ForbiddenByte { at: 0 }),
    ] {
        assert_eq!(decode(value), Err(why), "{value:?}");
    }
}

#[test]
fn the_markers_are_case_sensitive() {
    assert_eq!(decode(b"=?BASE64?SGVsbG8=?=").unwrap(), "=?BASE64?SGVsbG8=?=");
}

#[test]
fn markers_that_share_a_character_enclose_nothing() {
    assert_eq!(encode("=?base64?="), "=?base64?PT9iYXNlNjQ/PQ==?=");
    assert_eq!(decode(b"=?base64?=").unwrap(), "=?base64?=");
}

#[test]
fn an_integer_is_compared_by_value() {
    for (body, header, same) in [
        ("42", "42", true),
        ("42", "42.0", true),
        ("42.0", "42", true),
        ("4.2e1", "42", true),
        ("4200e-2", "42", true),
        ("-0", "0", true),
        ("0e99999999999999999999", "0", true),
        ("42", "43", false),
        ("42", "0.42e2", true),
        ("42", "42.00000000000000000000000001", false),
        ("42", "", false),
        ("42", "0x2a", false),
        ("42", "+42", false),
        ("42", "\u{66}", false),
        ("9007199254740991", "9007199254740991", true),
        ("9007199254740991", "9007199254740992", false),
        ("-9007199254740991", "-9007199254740991.000", true),
        ("42", "=?base64?NDI=?=", true),
    ] {
        let scalar = Scalar::from_raw(raw(body)).unwrap().unwrap();
        let header = HeaderValue::from_str(header).unwrap();
        assert_eq!(scalar.matches(&header), Ok(same), "{body} {header:?}");
    }
}

#[test]
fn what_cannot_be_mirrored_says_why() {
    for (json, why) in [
        ("1.5", Unmirrorable::Fraction),
        ("1e-1", Unmirrorable::Fraction),
        ("1e-99999999999999999999", Unmirrorable::Fraction),
        ("9007199254740992", Unmirrorable::OutOfRange),
        ("-9007199254740992", Unmirrorable::OutOfRange),
        ("1e16", Unmirrorable::OutOfRange),
        ("1e99999999999999999999", Unmirrorable::OutOfRange),
        ("123456789012345678901234567890", Unmirrorable::OutOfRange),
        (r#""\ud800""#, Unmirrorable::LoneSurrogate),
        ("[]", Unmirrorable::NotAScalar),
        ("{}", Unmirrorable::NotAScalar),
    ] {
        assert_eq!(Scalar::from_raw(raw(json)), Err(why), "{json}");
    }
}

#[test]
fn null_is_mirrored_by_absence() {
    assert_eq!(Scalar::from_raw(raw("null")), Ok(None));
}

#[test]
fn scalars_have_one_spelling_in_headers() {
    for (json, header) in [("true", "true"), ("false", "false"), ("-7.0", "-7"), (r#""a""#, "a")] {
        assert_eq!(Scalar::from_raw(raw(json)).unwrap().unwrap().encode(), header);
    }
}

proptest! {
    #[test]
    fn every_text_becomes_a_legal_value_and_comes_back(text in any::<String>()) {
        let value = encode(&text);
        prop_assert!(value.as_bytes().iter().copied().all(is_safe));
        prop_assert_eq!(trim(value.as_bytes()).len(), value.len());
        prop_assert_eq!(decode(value.as_bytes()).unwrap(), text);
    }

    #[test]
    fn text_near_the_markers_comes_back(text in r"(=\?base64\?|=\?|\?=| |a|=){0,6}") {
        let value = encode(&text);
        prop_assert_eq!(decode(value.as_bytes()).unwrap(), text);
    }

    #[test]
    fn every_safe_integer_comes_back(number in -Scalar::MAX_INTEGER..=Scalar::MAX_INTEGER) {
        let json = number.to_string();
        let scalar = Scalar::from_raw(raw(&json)).unwrap().unwrap();
        prop_assert_eq!(&scalar, &Scalar::Integer(number));
        prop_assert_eq!(scalar.matches(&scalar.encode()), Ok(true));
    }

    #[test]
    fn no_value_makes_decoding_panic(value in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = decode(&value);
    }

    #[test]
    fn no_number_makes_reading_panic(number in "-?[0-9]{1,30}(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,25})?") {
        let _ = integer(&number);
    }
}
