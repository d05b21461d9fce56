use super::*;

#[track_caller]
fn set(format: Format, before: &str, way: &[&str], value: Value, after: &str) {
    let way = way.iter().map(|key| (*key).to_owned()).collect();
    assert_eq!(apply(format, before, &[Edit::Set(way, value)]).as_deref(), Ok(after));
}

#[track_caller]
fn remove(format: Format, before: &str, way: &[&str], after: &str) {
    let way = way.iter().map(|key| (*key).to_owned()).collect();
    assert_eq!(apply(format, before, &[Edit::Remove(way)]).as_deref(), Ok(after));
}

fn entry() -> Value {
    let list = Value::List(vec!["-y".into(), "a b".into()]);
    Value::Map(vec![("command".to_owned(), "npx".into()), ("args".to_owned(), list)])
}

/// What is set is read, and what is removed again leaves no trace, whatever the names and values.
mod any {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_and_values_come_back(name in "[^\\x00]{1,12}", value in "\\PC{0,20}", number: i64) {
            let list = Value::List(vec![value.as_str().into(), Value::Number(number)]);
            let entry = Value::Map(vec![
                ("command".to_owned(), value.as_str().into()),
                ("args".to_owned(), list),
                (format!("x{name}"), Value::Bool(true)),
            ]);
            for (format, before) in [
                (Format::Json, "{\n  \"a\": {\n    \"other\": 1 // c\n  },\n  \"z\": 2\n}\n"),
                (Format::Toml, "# c\nz = 2\n\n[a.other]\nb = 1\n"),
                (Format::Yaml, "a:\n  other: 1 # c\nz: 2\n"),
            ] {
                let way = vec!["a".to_owned(), format!("n{name}")];
                let after = apply(format, before, &[Edit::Set(way.clone(), entry.clone())]).unwrap();
                prop_assert_eq!(&read(format, &after).unwrap()["a"][&way[1]], &entry.to_json());
                let gone = apply(format, &after, &[Edit::Remove(way)]).unwrap();
                prop_assert_eq!(gone, before);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[a-z:\\[\\]{}\"'#,=\\n -]{0,60}") {
            for format in [Format::Json, Format::Toml, Format::Yaml] {
                let way = vec!["a".to_owned(), "b".to_owned()];
                let _whatever = apply(format, &text, &[Edit::Set(way.clone(), entry())]);
                let _whatever = apply(format, &text, &[Edit::Remove(way)]);
            }
        }
    }
}

mod json {
    use super::*;

    #[test]
    fn a_file_with_nothing_but_a_comment_gets_an_object() {
        let after =
            apply(Format::Json, "// mine\n", &[Edit::Set(vec!["a".to_owned()], Value::Number(1))]);
        assert!(after.as_ref().is_ok_and(|it| it.starts_with("// mine\n")), "{after:?}");
    }

    #[test]
    fn an_entry_goes_behind_the_last_one() {
        let before = "// mine\n{\n  \"z\": 1, // odd\n  \"servers\": {\n    \"a\": {} // last\n  },\n  \"b\": [1,2]\n}\n";
        let after = "// mine\n{\n  \"z\": 1, // odd\n  \"servers\": {\n    \"a\": {}, // last\n    \"new\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"a b\"]\n    }\n  },\n  \"b\": [1,2]\n}\n";
        set(Format::Json, before, &["servers", "new"], entry(), after);
    }

    #[test]
    fn tabs_line_ends_and_marks_stay() {
        let before = "\u{feff}{\r\n\t\"servers\": {}\r\n}";
        let after = "\u{feff}{\r\n\t\"servers\": {\r\n\t\t\"new\": {\r\n\t\t\t\"command\": \"npx\",\r\n\t\t\t\"args\": [\"-y\", \"a b\"]\r\n\t\t}\r\n\t}\r\n}";
        set(Format::Json, before, &["servers", "new"], entry(), after);
    }

    #[test]
    fn a_missing_way_is_made() {
        let after = "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n";
        set(Format::Json, "{\n}\n", &["a", "b"], Value::Number(1), after);
    }

    #[test]
    fn the_last_entry_goes_without_its_comma() {
        let before = "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n";
        remove(Format::Json, before, &["b"], "{\n  \"a\": 1 // one\n}\n");
        remove(Format::Json, before, &["a"], "{\n  \"b\": 2\n}\n");
    }

    #[test]
    fn what_does_not_parse_is_named_by_its_place() {
        let found = read(Format::Json, "{\n  \"a\": 1\n  \"b\": 2\n}");
        assert!(matches!(found, Err(EditError::NotParsed { line: 2, column: 9, .. })), "{found:?}");
    }

    #[test]
    fn a_key_that_is_there_twice_is_not_chosen_from() {
        let edit = Edit::Set(vec!["a".to_owned(), "x".to_owned()], Value::Number(1));
        let found = apply(Format::Json, "{\"a\": {}, \"a\": {}}", &[edit]);
        assert_eq!(found, Err(EditError::Doubled("a".to_owned())));
    }

    #[test]
    fn what_is_no_object_is_not_made_one() {
        let edit = Edit::Set(vec!["a".to_owned(), "x".to_owned()], Value::Number(1));
        let expected = EditError::Shape { path: "a".to_owned(), expected: "an object" };
        assert_eq!(apply(Format::Json, "{\"a\": []}", &[edit]), Err(expected));
    }
}

mod toml {
    use super::*;

    #[test]
    fn an_entry_is_a_table_of_its_own() {
        let before =
            "# mine\nmodel = \"x\"   # odd\n\n[mcp_servers.a]\ncommand = \"a\"\n\n[other]\nb = 1\n";
        let after = "# mine\nmodel = \"x\"   # odd\n\n[mcp_servers.a]\ncommand = \"a\"\n\n[mcp_servers.new]\ncommand = \"npx\"\nargs = [\"-y\", \"a b\"]\n\n[other]\nb = 1\n";
        set(Format::Toml, before, &["mcp_servers", "new"], entry(), after);
    }

    #[test]
    fn the_first_entry_goes_to_the_end() {
        let before = "model = \"x\"\r\n";
        let after = "model = \"x\"\r\n\r\n[mcp_servers.new]\r\ncommand = \"npx\"\r\nargs = [\"-y\", \"a b\"]\r\n";
        set(Format::Toml, before, &["mcp_servers", "new"], entry(), after);
    }

    #[test]
    fn an_empty_file_begins_with_the_entry() {
        let after = "[mcp_servers.new]\ncommand = \"npx\"\nargs = [\"-y\", \"a b\"]\n";
        set(Format::Toml, "", &["mcp_servers", "new"], entry(), after);
    }

    #[test]
    fn a_value_changes_without_its_comment() {
        let before = "[s.a]\ncommand = 'x' # why\nargs = [ 1 ]\n";
        set(
            Format::Toml,
            before,
            &["s", "a", "command"],
            "y".into(),
            "[s.a]\ncommand = \"y\" # why\nargs = [ 1 ]\n",
        );
    }

    #[test]
    fn the_only_entry_goes_with_what_was_above_it() {
        remove(Format::Toml, "a = 1\n\n[s.a]\nx = 1\n", &["s", "a"], "a = 1\n");
    }

    #[test]
    fn an_entry_goes_with_its_table() {
        let before = "# top\n[s.a]\nx = 1\n\n# about b\n[s.b]\nx = 2\n";
        remove(Format::Toml, before, &["s", "a"], "\n# about b\n[s.b]\nx = 2\n");
        remove(Format::Toml, before, &["s", "b"], "# top\n[s.a]\nx = 1\n");
    }

    #[test]
    fn what_does_not_parse_is_named_by_its_place() {
        let found = read(Format::Toml, "a = 1\nb = = 2\n");
        assert!(matches!(found, Err(EditError::NotParsed { line: 2, column: 5, .. })), "{found:?}");
    }
}

mod yaml {
    use super::*;

    #[test]
    fn an_entry_goes_behind_the_last_one() {
        let before = "# mine\nGOOSE: x  # odd\nextensions:\n    a:\n        enabled: true\n        # inside\n\n# other\nb: [1, 2]\n";
        let after = "# mine\nGOOSE: x  # odd\nextensions:\n    a:\n        enabled: true\n        # inside\n    new:\n        command: npx\n        args:\n            - \"-y\"\n            - \"a b\"\n\n# other\nb: [1, 2]\n";
        set(Format::Yaml, before, &["extensions", "new"], entry(), after);
    }

    #[test]
    fn a_missing_or_empty_mapping_is_filled() {
        let block =
            "extensions:\n  new:\n    command: npx\n    args:\n      - \"-y\"\n      - \"a b\"\n";
        for (before, after) in [
            ("", block.to_owned()),
            ("a: 1", format!("a: 1\n{block}")),
            ("# only a comment\n", format!("# only a comment\n{block}")),
            ("extensions:\nb: 1\n", format!("{block}b: 1\n")),
            ("extensions: {}\nb: 1\n", format!("{block}b: 1\n")),
        ] {
            set(Format::Yaml, before, &["extensions", "new"], entry(), &after);
        }
    }

    #[test]
    fn a_scalar_changes_in_its_place() {
        let before = "a:\n  b: \"x\"  # why\n  c: 1\n";
        set(Format::Yaml, before, &["a", "b"], "y z".into(), "a:\n  b: \"y z\"  # why\n  c: 1\n");
    }

    #[test]
    fn a_list_is_written_anew() {
        let before = "a:\n  b:\n    - x # gone\n  c: 1\n";
        let list = Value::List(vec!["why".into()]);
        set(Format::Yaml, before, &["a", "b"], list, "a:\n  b:\n    - why\n  c: 1\n");
    }

    #[test]
    fn between_braces_everything_stays_on_its_line() {
        let before = "a: {b: {x: 1}, c: 2} # why\n";
        set(
            Format::Yaml,
            before,
            &["a", "b", "x"],
            Value::Number(3),
            "a: { \"b\": { \"x\": 3 }, \"c\": 2 } # why\n",
        );
    }

    #[test]
    fn an_entry_goes_and_an_empty_mapping_stays() {
        let before = "e:\n  a:\n    x: 1\n  b:\n    x: 2\nz: 1\n";
        remove(Format::Yaml, before, &["e", "a"], "e:\n  b:\n    x: 2\nz: 1\n");
        remove(Format::Yaml, "e:\n  b:\n    x: 2\nz: 1\n", &["e", "b"], "e: {}\nz: 1\n");
    }

    #[test]
    fn what_other_places_share_is_left_alone() {
        let edit = Edit::Set(vec!["b".to_owned(), "x".to_owned()], Value::Number(2));
        let found = apply(Format::Yaml, "a: &one\n  x: 1\nb: *one\n", &[edit]);
        assert_eq!(found, Err(EditError::NotOnePlace));
    }

    #[test]
    fn what_does_not_parse_is_named_by_its_place() {
        let found = read(Format::Yaml, "a: 1\nb: [1\n");
        assert!(matches!(found, Err(EditError::NotParsed { line: 3, .. })), "{found:?}");
    }
}
