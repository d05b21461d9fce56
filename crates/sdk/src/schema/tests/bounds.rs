//! No schema and no value makes the validator run for long or recurse deeply.

use super::*;

#[test]
fn a_schema_may_be_as_long_as_the_limit() {
    let text = |length: usize| format!("{{{}}}", " ".repeat(length - 2));
    let limit = SchemaLimits::default().bytes;
    assert!(Schema::compile(&text(limit), &SchemaLimits::default()).is_ok());
    let beyond = Schema::compile(&text(limit + 1), &SchemaLimits::default());
    assert_eq!(beyond.unwrap_err(), SchemaError::TooLarge { limit, size: limit + 1 });
}

#[test]
fn a_schema_may_be_as_deep_as_the_limit() {
    on_a_small_stack(|| {
        let schema = Schema::compile(&nots(64), &SchemaLimits::default()).unwrap();
        assert!(schema.validate(&json!(1)).is_err());
        for levels in [65, 2_000, 20_000] {
            let error = Schema::compile(&nots(levels), &SchemaLimits::default()).unwrap_err();
            assert!(matches!(error, SchemaError::TooDeep(_)), "{levels}");
        }
    });
}

#[test]
fn a_schema_may_have_as_many_subschemas_as_the_limit() {
    let schema = |subschemas: usize| {
        let properties: serde_json::Map<_, _> =
            (1..subschemas).map(|n| (format!("p{n}"), json!(true))).collect();
        json!({ "properties": properties })
    };
    let limit = SchemaLimits::default().subschemas;
    compile(&schema(limit));
    assert_eq!(refused(&schema(limit + 1)), SchemaError::TooManySubschemas { limit });
}

#[test]
fn a_schema_may_have_as_many_branches_as_the_limit() {
    // The root, its `$ref`s, and ten branches behind each of them.
    let schema = |uses: usize| {
        json!({
            "allOf": vec![json!({"$ref": "#/$defs/ten"}); uses],
            "$defs": {"ten": {"anyOf": vec![json!({}); 9]}}
        })
    };
    let limits = |branches| SchemaLimits { branches, ..SchemaLimits::default() };
    let compile = |uses, branches| Schema::compile(&schema(uses).to_string(), &limits(branches));
    assert!(compile(10, 111).is_ok());
    assert_eq!(compile(10, 110).unwrap_err(), SchemaError::TooManyBranches { limit: 110 });

    let default = SchemaLimits::default().branches;
    let thousands = |rest: usize| {
        let mut all = vec![json!({"$ref": "#/$defs/a"}); 98];
        all.extend(vec![json!({}); rest]);
        json!({"allOf": all, "$defs": {"a": {"anyOf": vec![json!({}); 1_000]}}})
    };
    let used = 1 + 98 * 1_002;
    let rest = usize::try_from(default).unwrap() - used;
    super::compile(&thousands(rest));
    assert_eq!(refused(&thousands(rest + 1)), SchemaError::TooManyBranches { limit: default });
}

#[test]
fn composition_that_doubles_at_every_level_is_refused() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        assert!(Schema::compile(&doubling(keyword, 8), &SchemaLimits::default()).is_ok());
        for levels in [22, 1_000] {
            let error =
                Schema::compile(&doubling(keyword, levels), &SchemaLimits::default()).unwrap_err();
            assert_eq!(
                error,
                SchemaError::TooManyBranches { limit: SchemaLimits::default().branches }
            );
        }
    }
}

#[test]
fn a_schema_that_refers_to_itself_for_the_same_value_is_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"if": {"$ref": "#/$defs/a"}}}}),
    ] {
        assert!(matches!(refused(&schema), SchemaError::Endless(_)), "{schema}");
    }
}

#[test]
fn a_chain_of_references_may_be_as_long_as_the_stack_bears() {
    on_a_small_stack(|| {
        // Each link is one subschema; the root is one more.
        let chain = |links: usize| {
            let mut defs: serde_json::Map<_, _> = (1..links)
                .map(|n| (format!("a{n}"), json!({"$ref": format!("#/$defs/a{}", n + 1)})))
                .collect();
            defs.insert(format!("a{links}"), json!({"type": "string"}));
            json!({"$ref": "#/$defs/a1", "$defs": defs})
        };
        assert!(compile(&chain(511)).validate(&json!(1)).is_err());
        assert_eq!(refused(&chain(512)), SchemaError::TooLongChain { limit: 512 });
    });
}

#[test]
fn a_chain_through_properties_does_not_exhaust_the_stack() {
    on_a_small_stack(|| {
        let defs: serde_json::Map<_, _> = (0..2_400)
            .map(|n| {
                (
                    format!("a{n}"),
                    json!({"properties": {"x": {"$ref": format!("#/$defs/a{}", (n + 1) % 2_400)}}}),
                )
            })
            .collect();
        let schema = compile(&json!({"$ref": "#/$defs/a0", "$defs": defs}));
        assert!(schema.validate(nested("x", 64)).is_ok());
    });
}

#[test]
fn a_recursive_schema_takes_values_up_to_the_depth_limit() {
    on_a_small_stack(|| {
        let tree = compile(
            &json!({"properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}, "type": "object"}),
        );
        assert!(tree.validate(nested("l", 64)).is_ok());
        assert_eq!(tree.validate(nested("l", 65)).unwrap_err().cause, Cause::TooCostly);
        assert_eq!(tree.validate(nested("l", 100_000)).unwrap_err().cause, Cause::TooCostly);
    });
}

#[test]
fn a_value_is_refused_when_every_level_of_it_doubles_the_work() {
    let twice = |below: Value| json!({"anyOf": [{"properties": {"c": below}}, {"properties": {"c": below}}]});
    let schema = Schema::compile(&levels(40, twice), &SchemaLimits::default()).unwrap();
    assert!(schema.validate(nested("c", 3)).is_ok());
    assert_eq!(schema.validate(nested("c", 40)).unwrap_err().cause, Cause::TooCostly);
}

#[test]
fn looking_again_at_what_was_evaluated_counts_as_work() {
    let closed = |below: Value| json!({"anyOf": [{"properties": {"c": below}}], "unevaluatedProperties": false});
    let schema = Schema::compile(&levels(40, closed), &SchemaLimits::default()).unwrap();
    assert!(schema.validate(nested("c", 3)).is_ok());
    assert_eq!(schema.validate(nested("c", 40)).unwrap_err().cause, Cause::TooCostly);
}

#[test]
fn recursion_is_estimated_as_if_nothing_were_remembered() {
    let branch = json!({"properties": {"c": {"$ref": "#"}}});
    let schema = compile(&json!({"anyOf": [branch, branch]}));
    assert!(schema.validate(nested("c", 10)).is_ok());
    assert_eq!(schema.validate(nested("c", 40)).unwrap_err().cause, Cause::TooCostly);
}

#[test]
fn branches_that_look_at_different_children_do_not_multiply() {
    let schema = compile(&json!({"anyOf": [
        {"properties": {"c": {"$ref": "#"}}, "required": ["c"]},
        {"properties": {"d": {"$ref": "#"}}, "required": ["d"]},
        {"maxProperties": 0}
    ]}));
    assert!(schema.validate(nested("c", 60)).is_ok());
}

#[test]
fn a_value_is_refused_when_the_validator_would_recurse_too_deeply() {
    on_a_small_stack(|| {
        let mut schema = json!({"properties": {"c": {"$ref": "#"}}});
        for _ in 0..20 {
            schema = json!({"allOf": [schema]});
        }
        let schema = compile(&schema);
        assert!(schema.validate(nested("c", 20)).is_ok());
        assert_eq!(schema.validate(nested("c", 60)).unwrap_err().cause, Cause::TooCostly);
    });
}

#[test]
fn work_is_allowed_up_to_the_limit() {
    let text = r#"{"items":{"type":"integer"}}"#;
    let limits = |steps| SchemaLimits { steps, ..SchemaLimits::default() };
    let list = json!([1, 2, 3]);
    assert!(Schema::compile(text, &limits(4)).unwrap().validate(&list).is_ok());
    let violation = Schema::compile(text, &limits(3)).unwrap().validate(&list).unwrap_err();
    assert_eq!(violation.cause, Cause::TooCostly);
}

#[test]
fn a_large_value_is_refused_without_collecting_its_errors() {
    let schema =
        compile(&json!({"anyOf": [{"items": {"type": "integer"}}, {"items": {"type": "null"}}]}));
    let violation = schema.validate(&json!(vec!["x"; 100_000])).unwrap_err();
    assert_eq!(violation.cause, Cause::Unexplained);
}

#[test]
fn patterns_share_their_memory() {
    let limits = SchemaLimits { all_patterns_bytes: 64 * 1024, ..SchemaLimits::default() };
    let schema = |patterns: usize| {
        let all: Vec<_> =
            (0..patterns).map(|n| json!({"pattern": format!("^x{{{}}}y", n + 100)})).collect();
        json!({ "allOf": all }).to_string()
    };
    assert!(Schema::compile(&schema(1), &limits).is_ok());
    assert!(matches!(Schema::compile(&schema(200), &limits), Err(SchemaError::Pattern { .. })));
}

#[test]
fn deep_patterns_do_not_exhaust_the_stack() {
    on_a_small_stack(|| {
        let pattern = format!("{}a{}", "(".repeat(50_000), ")".repeat(50_000));
        assert!(matches!(refused(&json!({ "pattern": pattern })), SchemaError::Pattern { .. }));
    });
}

/// A schema of so many brackets within each other.
fn nots(levels: usize) -> String {
    format!("{}{{}}{}", "{\"not\":".repeat(levels - 1), "}".repeat(levels - 1))
}

fn doubling(keyword: &str, count: usize) -> String {
    levels(count, |below| json!({keyword: [below, below]}))
}

/// Definitions that each refer to the one below.
fn levels(count: usize, level: impl Fn(Value) -> Value) -> String {
    let mut defs =
        serde_json::Map::from_iter([(String::from("a0"), json!({"not": {"type": "string"}}))]);
    for number in 1..=count {
        defs.insert(
            format!("a{number}"),
            level(json!({"$ref": format!("#/$defs/a{}", number - 1)})),
        );
    }
    json!({"$ref": format!("#/$defs/a{count}"), "$defs": defs}).to_string()
}

/// Objects within objects; a very deep one is leaked, because dropping it recurses.
fn nested(name: &str, levels: usize) -> &'static Value {
    let value = (0..levels)
        .fold(json!({}), |value, _| Value::Object([(name.into(), value)].into_iter().collect()));
    Box::leak(Box::new(value))
}
