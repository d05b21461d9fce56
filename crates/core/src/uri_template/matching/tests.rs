use super::super::{Limits, UriTemplate};
use super::*;
use proptest::prelude::*;

#[test]
fn a_uri_gives_each_variable_its_value() {
    for (template, uri, expected) in MATCHES {
        let template = UriTemplate::parse(template).unwrap();
        assert_eq!(template.matches(uri), Some(values(expected)), "{template} on {uri}");
    }
}

#[test]
fn a_uri_that_is_not_of_the_template_matches_nothing() {
    for (template, uri) in MISMATCHES {
        assert_eq!(UriTemplate::parse(template).unwrap().matches(uri), None, "{template} on {uri}");
    }
}

#[test]
fn the_work_for_hostile_pairs_stays_within_the_product_of_their_lengths() {
    for (template, uri) in [
        ("{a}{b}{c}{d}{e}{f}{g}{h}!".to_owned(), "a".repeat(4000)),
        ("{+a}/{+b}/{+c}/{+d}/x".to_owned(), "/".repeat(4000)),
        ("{/a*,b*,c*}{+d*}{e:9}".to_owned(), "/a".repeat(2000)),
        ("{?a*,ab*,abc*}{&a,ab}{+d}".to_owned(), format!("?{}", "a=a&ab&".repeat(500))),
        ("aaaaaaaab{x}".repeat(50), "a".repeat(4000)),
        ("{+a:9}".repeat(200), ",".repeat(2000)),
    ] {
        let template = UriTemplate::parse(&template).unwrap();
        assert_bounded(&template, &uri);
    }
}

#[test]
fn a_long_template_and_the_longest_uri_are_answered() {
    let limits = Limits::default();
    let template = UriTemplate::parse(&"{+a:9999},".repeat(limits.variables / 8)).unwrap();
    assert_eq!(template.matches(&"a".repeat(limits.uri_bytes)), None);
}

proptest! {
    #[test]
    fn values_apart_from_each_other_come_back(
        (source, values) in proptest::collection::vec(piece(), 1..6).prop_map(assemble),
    ) {
        let template = UriTemplate::parse(&source).unwrap();
        let uri = template.expand(&values);
        prop_assert_eq!(template.matches(&uri), Some(values), "{} on {}", source, uri);
    }

    #[test]
    fn every_expansion_matches_and_its_captures_expand_to_it(
        source in loose_template(),
        texts in proptest::collection::vec(proptest::option::of("[ab12=&,./;?#é ]{0,4}"), 9),
    ) {
        let template = UriTemplate::parse(&source).unwrap();
        let exploded = |name: &str| source.contains(&format!("{name}*"));
        let values: Values = (0..).map(|index| format!("v{index}")).zip(texts).filter_map(|(name, text)| {
            let text = text?;
            let items = || text.split('1').map(str::to_owned).collect();
            let value = if exploded(&name) { Value::List(items()) } else { text.into() };
            Some((name, value))
        }).collect();
        let uri = template.expand(&values);
        let captures = template.matches(&uri);
        prop_assert!(captures.is_some(), "{} on {}", source, uri);
        prop_assert_eq!(template.expand(&captures.unwrap()), uri, "{}", source);
    }

    #[test]
    fn the_work_stays_within_the_product_of_the_lengths(source in loose_template(), uri in "[ab/?#.;&=,v01]{0,60}") {
        assert_bounded(&UriTemplate::parse(&source).unwrap(), &uri);
    }
}

#[track_caller]
fn assert_bounded(template: &UriTemplate, uri: &str) {
    let units = units::units(uri).unwrap();
    for reading in [Reading::Expanded, Reading::Typed] {
        let mut steps = 0;
        read(&template.parts, &units, reading, &mut steps);
        let bound = 2 * (template.source.len() + 1) * (uri.len() + 1);
        assert!(steps <= bound, "{template} on {uri}: {steps} steps, {bound} allowed");
    }
}

/// `name=text`, or `name=item|item` for a list, separated by spaces.
fn values(pairs: &str) -> Values {
    let pair = |pair: &str| -> (String, Value) {
        let (name, value) = pair.split_once('=').unwrap();
        let value = value.replace('_', " ");
        match name.strip_suffix('*') {
            Some(name) => {
                (name.to_owned(), Value::List(value.split('|').map(str::to_owned).collect()))
            }
            None => (name.to_owned(), value.into()),
        }
    };
    pairs.split_whitespace().map(pair).collect()
}

/// Any operators, modifiers and neighbours, with each of the names `v0`, `v1`… used once.
fn loose_template() -> impl Strategy<Value = String> {
    let modifier = proptest::sample::select(&["", "", "", "*", ":2"][..]);
    let expression = ("[+#./;?&]?", proptest::collection::vec(modifier, 1..4));
    let part = (expression, "[ab,./=&?é]{0,2}");
    proptest::collection::vec(part, 0..4).prop_map(|parts| {
        let mut names = (0..).map(|index| format!("v{index}"));
        let mut source = String::new();
        for ((operator, modifiers), literal) in parts {
            let variables: Vec<_> =
                modifiers.iter().zip(&mut names).map(|(modifier, name)| name + modifier).collect();
            source.extend(["{", &operator, &variables.join(","), "}", &literal]);
        }
        source
    })
}

#[derive(Clone, Debug)]
struct Piece {
    operator: &'static str,
    values: Vec<Value>,
}

/// An expression whose values share no character with what separates them.
fn piece() -> impl Strategy<Value = Piece> {
    let operator = proptest::sample::select(&["", "+", "#", ".", "/", ";", "?", "&"][..]);
    let value = |text: &'static str| {
        prop_oneof![
            2 => text.prop_map(Value::from),
            1 => proptest::collection::vec(text, 1..4).prop_map(Value::from),
        ]
    };
    operator.prop_flat_map(move |operator| {
        let text = if "+#".contains(operator) {
            "[a-z0-9:@é€ ]{1,5}"
        } else {
            "[a-z0-9/?#:,;=&%é€ ]{1,5}"
        };
        let named = !operator.is_empty() && ";?&".contains(operator);
        let count = if named { 1..4 } else { 1..3 };
        proptest::collection::vec(value(text), count).prop_map(move |mut values| {
            // Where nothing names them, two lists side by side are one.
            if !named && values.iter().all(|value| matches!(value, Value::List(_))) {
                values.truncate(1);
            }
            Piece { operator, values }
        })
    })
}

/// The pieces with a literal between them that no value contains.
fn assemble(pieces: Vec<Piece>) -> (String, Values) {
    let mut source = "test://".to_owned();
    let mut values = Values::default();
    for (number, piece) in pieces.into_iter().enumerate() {
        let mut names = Vec::new();
        for (index, value) in piece.values.into_iter().enumerate() {
            let name = format!("v{number}_{index}");
            names.push(if matches!(value, Value::List(_)) {
                format!("{name}*")
            } else {
                format!("{name}:5")
            });
            values.insert(name, value);
        }
        source.extend(["{", piece.operator, &names.join(","), "}!"]);
    }
    (source, values)
}

const MATCHES: &[(&str, &str, &str)] = &[
    ("", "", ""),
    ("test://x", "test://x", ""),
    // A value and its neighbours.
    ("test://template/{id}/data", "test://template/123/data", "id=123"),
    ("test://template/{id}/data", "test://template//data", ""),
    ("{x}", "%F0%9F%98%80%2F", "x=😀/"),
    ("{x}", "naïve", "x=naïve"),
    ("{x}", "a+b%20c", "x=a+b_c"),
    ("{a}{b}", "xy", "a=xy"),
    ("{a}-{b}", "x-y-z", "a=x-y b=z"),
    ("{name}.{ext}", "a.tar.gz", "name=a.tar ext=gz"),
    ("{name}{.ext}", "a.gz", "name=a.gz"),
    ("{x,y}", "1,2", "x=1 y=2"),
    ("{x,y}", "1", "x=1"),
    ("{x,y}", "1,", "x=1 y="),
    ("{x:1,y}", "abc", "y=abc"),
    ("{x:3}{y}", "abcde", "x=abc y=de"),
    ("{x:3}", "%E2%82%AC%C3%A9z", "x=€éz"),
    ("{list*}", "a,b,c", "list*=a|b|c"),
    ("{list*}", "a", "list*=a"),
    ("{list*,last}", "a,b,c", "list*=a|b last=c"),
    ("{a*,b*}", "1,2,3", "a*=1 b*=2|3"),
    // Reserved.
    ("file://{+path}", "file:///a/b%2Fc?d#e", "path=/a/b/c?d#e"),
    ("{+dir}/{name}", "/a/b/c", "dir=/a/b name=c"),
    ("{+path,x}/here", "/foo/bar,1024/here", "path=/foo/bar x=1024"),
    ("{+a,b}", "1,2,3", "a=1 b=2,3"),
    ("{+a,b:1}", "1,23", "a=1,23"),
    ("{+list*}", "a/b,c", "list*=a/b|c"),
    ("{+list*,last}", "1,2,3", "list*=1|2 last=3"),
    ("{+a}{b}", "x%2Fy", "a=x b=/y"),
    ("x{#part}", "x#a/b", "part=a/b"),
    ("x{#part}", "x#", "part="),
    ("x{#part}", "x", ""),
    // Labels and paths.
    ("www{.dom*}", "www.example.com", "dom*=example|com"),
    ("www{.dom}", "www.example.com", "dom=example.com"),
    ("{/a,b,c}", "/1/2", "a=1 b=2"),
    ("{/a,b}", "/1/", "a=1 b="),
    ("{/a}", "/", "a="),
    ("{/a}", "", ""),
    ("{/list*,last}", "/1/2/3", "list*=1|2 last=3"),
    ("{/list*}{+rest}", "/1/2?x", "list*=1|2 rest=?x"),
    // Names.
    ("x{?a,b}", "x", ""),
    ("x{?a,b}", "x?a=1&b=2", "a=1 b=2"),
    ("x{?a,b}", "x?b=2&a=1", "a=1 b=2"),
    ("x{?a,b}", "x?b=", "b="),
    ("x{?a,b}", "x?b", "b="),
    ("x{?a,ab}", "x?ab=1", "ab=1"),
    ("x{?a*,b}", "x?a=1&b=2&a=3", "a*=1|3 b=2"),
    ("x{?a}", "x?a=b=c", "a=b=c"),
    ("x{?a}", "x?a=http://h/p?q", "a=http://h/p?q"),
    ("x{?a:2,b}", "x?a=12&b=3", "a=12 b=3"),
    ("x?k=v{&a,b}", "x?k=v&b=2", "b=2"),
    ("x{?a}{#f}", "x?a=1#2", "a=1 f=2"),
    ("{x}{;p,q}", "a;q;p=1", "x=a;q;p=1"),
    ("{x}{;p,q}", "a;p=1;q", "x=a p=1 q="),
    ("/{x}{;p}{?q}", "/a;p=1?q=2", "x=a p=1 q=2"),
    ("x{?a%20b}", "x?a%20b=1", "a%20b=1"),
    ("{?a}{+rest}", "?a=1&a=2", "a=1 rest=&a=2"),
    // As typed.
    ("mail:{who}", "mail:me@host:1", "who=me@host:1"),
    ("{x}", "a,b", "x=a,b"),
    ("{x,y}", "a@b,c", "x=a@b y=c"),
    // Spellings of one URI.
    ("/~é/{x}", "/%7e%c3%a9/%41", "x=A"),
    ("/%7E/{x}", "/~/1", "x=1"),
    // One variable in several places.
    ("{/x:1,x}", "/v/value", "x=value"),
    ("{x}/{x}", "a/a", "x=a"),
    ("{x:1}/{x:3}", "a/abc", "x=abc"),
    ("{x:3}/{x:1}", "ab/a", "x=ab"),
];

const MISMATCHES: &[(&str, &str)] = &[
    ("", "x"),
    ("test://x", "test://X"),
    ("test://x", "test://x/"),
    ("a{x}", "b1"),
    ("{x}", "a/b"),
    ("{x}", "a?b"),
    ("{x}", "a#b"),
    ("{x}/z", "a/b/z"),
    ("a/b{x}", "a%2Fb1"),
    ("{x:3}", "abcd"),
    ("{x:1,y:1}", "a,b,c"),
    ("{/x:1,x}", "/w/value"),
    ("{x:3}/{x}", "a/abc"),
    ("{x}/{x}", "a/b"),
    ("{/a,b}", "/1/2/3"),
    ("{/a}", "1"),
    ("x{?a}", "x?"),
    ("x{?a}", "x?b=1"),
    ("x{?a}", "x?a=1&b=2"),
    ("x{?a}", "x?a=1&a=2"),
    ("x{?a}", "x?a=1&"),
    ("x{?a}", "x?aa=1"),
    ("x{?a}", "x?A=1"),
    ("x{?a:1}", "x?a=12"),
    ("x{?a}", "x&a=1"),
    ("x{&a}", "x?a=1"),
    // Not URIs.
    ("{+x}", "%"),
    ("{+x}", "%4"),
    ("{+x}", "%zz"),
    ("{+x}", "%+1"),
    ("{+x}", "%FF"),
    ("{+x}", "%C3"),
    ("{+x}", "%C3x"),
    ("{+x}", "%ED%A0%80"),
    ("{+x}", "a b"),
    ("{+x}", "a\nb"),
    ("{+x}", "{x}"),
    ("%C3{x}", "%C3%A9"),
    ("%FF", "%FF"),
];
