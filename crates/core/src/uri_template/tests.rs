use super::*;
use proptest::prelude::*;

fn variables() -> Values {
    let list = |items: &[&str]| Value::List(items.iter().map(ToString::to_string).collect());
    let map = |pairs: &[(&str, &str)]| {
        Value::Map(
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        )
    };
    Values::from_iter([
        ("count", list(&["one", "two", "three"])),
        ("dom", list(&["example", "com"])),
        ("dub", "me/too".into()),
        ("hello", "Hello World!".into()),
        ("half", "50%".into()),
        ("var", "value".into()),
        ("who", "fred".into()),
        ("base", "http://example.com/home/".into()),
        ("path", "/foo/bar".into()),
        ("list", list(&["red", "green", "blue"])),
        ("keys", map(&[("semi", ";"), ("dot", "."), ("comma", ",")])),
        ("v", "6".into()),
        ("x", "1024".into()),
        ("y", "768".into()),
        ("empty", "".into()),
        ("empty_list", list(&[])),
        ("empty_keys", map(&[])),
        ("blank", list(&[""])),
        ("blanks", map(&[("a", ""), ("b", "1")])),
        ("accent", "é€😀x".into()),
        ("triplets", "%C3%A9%41bc".into()),
    ])
}

#[track_caller]
fn expands(template: &str, expected: &str) {
    let parsed = UriTemplate::parse(template).unwrap();
    assert_eq!(parsed.expand(&variables()), expected, "{template}");
    assert_eq!(parsed.to_string(), template);
}

#[test]
fn each_operator_expands_as_the_rfc_says() {
    for (template, expected) in EXPANSIONS {
        expands(template, expected);
    }
}

#[test]
fn a_literal_beyond_ascii_is_encoded_and_a_triplet_is_kept() {
    expands("/é%2f'[]{var}", "/%C3%A9%2f'[]value");
}

#[test]
fn a_prefix_counts_characters_and_splits_none() {
    expands("{accent:2}", "%C3%A9%E2%82%AC");
    expands("{+triplets:1}", "%C3%A9");
    expands("{+triplets:2}", "%C3%A9%41");
    expands("{triplets:2}", "%25C");
}

#[test]
fn each_way_to_be_no_template_has_its_own_reason() {
    use TemplateError as E;
    for (template, expected) in [
        ("a b", E::LiteralCharacter { at: 1, found: ' ' }),
        ("é\u{7f}", E::LiteralCharacter { at: 2, found: '\u{7f}' }),
        ("a|b", E::LiteralCharacter { at: 1, found: '|' }),
        ("\u{fffe}", E::LiteralCharacter { at: 0, found: '\u{fffe}' }),
        ("{.a.}", E::MisplacedDot { at: 3 }),
        ("{a..b}", E::MisplacedDot { at: 3 }),
        ("{?.a}", E::MisplacedDot { at: 2 }),
        ("{}", E::MissingName { at: 1 }),
        ("{?}", E::MissingName { at: 2 }),
        ("{a,}", E::MissingName { at: 3 }),
        ("{a,,b}", E::MissingName { at: 3 }),
        ("{*}", E::MissingName { at: 1 }),
        ("{a b}", E::NameCharacter { at: 2, found: ' ' }),
        ("{a{b}}", E::NameCharacter { at: 2, found: '{' }),
        ("{a-b}", E::NameCharacter { at: 2, found: '-' }),
        ("{?a,&b}", E::NameCharacter { at: 4, found: '&' }),
        ("{é}", E::NameCharacter { at: 1, found: 'é' }),
        ("50%", E::Percent { at: 2 }),
        ("%4g", E::Percent { at: 0 }),
        ("{a%4}", E::Percent { at: 2 }),
        ("{a:}", E::Prefix { at: 2 }),
        ("{a:0}", E::Prefix { at: 2 }),
        ("{a:01}", E::Prefix { at: 2 }),
        ("{a:+1}", E::Prefix { at: 2 }),
        ("{a:10000}", E::Prefix { at: 2 }),
        ("{a:3*}", E::Prefix { at: 2 }),
        ("{=a}", E::ReservedOperator { at: 1, operator: '=' }),
        ("x{|a}", E::ReservedOperator { at: 2, operator: '|' }),
        ("a}b", E::StrayBrace { at: 1 }),
        ("{a}}", E::StrayBrace { at: 3 }),
        ("{a*:3}", E::TrailingModifier { at: 3, found: ':' }),
        ("{a**}", E::TrailingModifier { at: 3, found: '*' }),
        ("ab{c", E::Unclosed { at: 2 }),
        ("{", E::Unclosed { at: 0 }),
    ] {
        assert_eq!(UriTemplate::parse(template), Err(expected), "{template}");
    }
}

#[test]
fn a_template_over_its_limits_is_refused() {
    let limits = Limits { template_bytes: 10, variables: 2, uri_bytes: 4 };
    let parse = |source| UriTemplate::parse_within(source, &limits);
    assert_eq!(parse("{a}{bb:12}").map(|_| ()), Ok(()));
    assert_eq!(parse("{a}{bb:123}"), Err(TemplateError::TooLong { bytes: 11, limit: 10 }));
    assert_eq!(parse("{a}{b,c}"), Err(TemplateError::TooManyVariables { at: 6, limit: 2 }));
    assert!(parse("{a}").unwrap().matches("1234").is_some());
    assert_eq!(parse("{a}").unwrap().matches("12345"), None);
}

#[test]
fn a_template_names_its_variables() {
    let template: UriTemplate = "x/{a}{?b.c*,d:3}{&a}".parse().unwrap();
    assert_eq!(template.variables().collect::<Vec<_>>(), ["a", "b.c", "d", "a"]);
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic_and_what_it_takes_it_gives_back(
        source in prop_oneof![any::<String>(), "[{}a%4é,*:1?+#./;&= ]{0,24}"],
        value in any::<String>(),
    ) {
        let Ok(template) = UriTemplate::parse(&source) else { return Ok(()) };
        prop_assert_eq!(template.to_string(), source);
        let values = template.variables().map(|name| (name, value.as_str())).collect();
        let uri = template.expand(&values);
        prop_assert!(uri.is_ascii());
        template.matches(&uri);
    }

    #[test]
    fn no_uri_makes_the_matcher_panic(
        source in "([{][+#./;?&]?a(:2|[*])?(,b[*]?)?[}]|[a/=&,]|%C3|%A9){0,5}",
        uri in prop_oneof![any::<String>(), "([ab/?#.;&=,]|%C3|%A9|%2F|é){0,20}"],
    ) {
        UriTemplate::parse(&source).unwrap().matches(&uri);
    }
}

const EXPANSIONS: &[(&str, &str)] = &[
    // Lists and their separators.
    ("{count}", "one,two,three"),
    ("{count*}", "one,two,three"),
    ("{/count}", "/one,two,three"),
    ("{/count*}", "/one/two/three"),
    ("{;count}", ";count=one,two,three"),
    ("{;count*}", ";count=one;count=two;count=three"),
    ("{?count}", "?count=one,two,three"),
    ("{?count*}", "?count=one&count=two&count=three"),
    ("{&count*}", "&count=one&count=two&count=three"),
    // Simple.
    ("{var}", "value"),
    ("{hello}", "Hello%20World%21"),
    ("{half}", "50%25"),
    ("O{empty}X", "OX"),
    ("O{undef}X", "OX"),
    ("{x,y}", "1024,768"),
    ("{x,hello,y}", "1024,Hello%20World%21,768"),
    ("?{x,empty}", "?1024,"),
    ("?{x,undef}", "?1024"),
    ("?{undef,y}", "?768"),
    ("{var:3}", "val"),
    ("{var:30}", "value"),
    ("{list}", "red,green,blue"),
    ("{list*}", "red,green,blue"),
    ("{keys}", "semi,%3B,dot,.,comma,%2C"),
    ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
    ("{blanks*}", "a=,b=1"),
    // Reserved.
    ("{+var}", "value"),
    ("{+hello}", "Hello%20World!"),
    ("{+half}", "50%25"),
    ("{+triplets}", "%C3%A9%41bc"),
    ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
    ("{+base}index", "http://example.com/home/index"),
    ("O{+empty}X", "OX"),
    ("O{+undef}X", "OX"),
    ("{+path}/here", "/foo/bar/here"),
    ("here?ref={+path}", "here?ref=/foo/bar"),
    ("up{+path}{var}/here", "up/foo/barvalue/here"),
    ("{+x,hello,y}", "1024,Hello%20World!,768"),
    ("{+path,x}/here", "/foo/bar,1024/here"),
    ("{+path:6}/here", "/foo/b/here"),
    ("{+list}", "red,green,blue"),
    ("{+list*}", "red,green,blue"),
    ("{+keys}", "semi,;,dot,.,comma,,"),
    ("{+keys*}", "semi=;,dot=.,comma=,"),
    // Fragment.
    ("{#var}", "#value"),
    ("{#hello}", "#Hello%20World!"),
    ("{#half}", "#50%25"),
    ("foo{#empty}", "foo#"),
    ("foo{#undef}", "foo"),
    ("{#x,hello,y}", "#1024,Hello%20World!,768"),
    ("{#path,x}/here", "#/foo/bar,1024/here"),
    ("{#path:6}/here", "#/foo/b/here"),
    ("{#list}", "#red,green,blue"),
    ("{#list*}", "#red,green,blue"),
    ("{#keys}", "#semi,;,dot,.,comma,,"),
    ("{#keys*}", "#semi=;,dot=.,comma=,"),
    // Label.
    ("{.who}", ".fred"),
    ("{.who,who}", ".fred.fred"),
    ("{.half,who}", ".50%25.fred"),
    ("www{.dom*}", "www.example.com"),
    ("X{.var}", "X.value"),
    ("X{.empty}", "X."),
    ("X{.undef}", "X"),
    ("X{.var:3}", "X.val"),
    ("X{.list}", "X.red,green,blue"),
    ("X{.list*}", "X.red.green.blue"),
    ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
    ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
    ("X{.empty_keys}", "X"),
    ("X{.empty_keys*}", "X"),
    ("X{.empty_list*}", "X"),
    // Path.
    ("{/who}", "/fred"),
    ("{/who,who}", "/fred/fred"),
    ("{/half,who}", "/50%25/fred"),
    ("{/who,dub}", "/fred/me%2Ftoo"),
    ("{/var}", "/value"),
    ("{/var,empty}", "/value/"),
    ("{/var,undef}", "/value"),
    ("{/var,x}/here", "/value/1024/here"),
    ("{/var:1,var}", "/v/value"),
    ("{/list}", "/red,green,blue"),
    ("{/list*}", "/red/green/blue"),
    ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
    ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
    ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
    // Parameters.
    ("{;who}", ";who=fred"),
    ("{;half}", ";half=50%25"),
    ("{;empty}", ";empty"),
    ("{;v,empty,who}", ";v=6;empty;who=fred"),
    ("{;v,bar,who}", ";v=6;who=fred"),
    ("{;x,y}", ";x=1024;y=768"),
    ("{;x,y,empty}", ";x=1024;y=768;empty"),
    ("{;x,y,undef}", ";x=1024;y=768"),
    ("{;hello:5}", ";hello=Hello"),
    ("{;list}", ";list=red,green,blue"),
    ("{;list*}", ";list=red;list=green;list=blue"),
    ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
    ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
    ("{;blank*}", ";blank"),
    ("{;blanks*}", ";a;b=1"),
    // Query.
    ("{?who}", "?who=fred"),
    ("{?half}", "?half=50%25"),
    ("{?x,y}", "?x=1024&y=768"),
    ("{?x,y,empty}", "?x=1024&y=768&empty="),
    ("{?x,y,undef}", "?x=1024&y=768"),
    ("{?undef}", ""),
    ("{?var:3}", "?var=val"),
    ("{?list}", "?list=red,green,blue"),
    ("{?list*}", "?list=red&list=green&list=blue"),
    ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
    ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
    ("{?blank*}", "?blank="),
    ("{?blanks*}", "?a=&b=1"),
    // Continuation.
    ("{&who}", "&who=fred"),
    ("{&half}", "&half=50%25"),
    ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
    ("{&x,y,empty}", "&x=1024&y=768&empty="),
    ("{&x,y,undef}", "&x=1024&y=768"),
    ("{&var:3}", "&var=val"),
    ("{&list}", "&list=red,green,blue"),
    ("{&list*}", "&list=red&list=green&list=blue"),
    ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
    ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
];
