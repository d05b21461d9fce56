//! Random schemas, to see that no case is ever wrong: more kinds of them than people write.

use serde_json::{Map, Value, json};

use crate::random::Random;

/// A schema of a tool's arguments; the same for the same seed.
pub fn schema_for(seed: u64) -> Value {
    let mut random = Random::new(seed);
    let mut schema = object(&mut random, 0);
    if random.below(4) == 0 {
        schema["$defs"] = json!({"part": any(&mut random, 2), "tree": {
            "type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}, "value": {"type": "integer"}}, "required": ["value"]
        }});
        schema["properties"]["referred"] = json!({"$ref": "#/$defs/part"});
        schema["properties"]["tree"] = json!({"$ref": "#/$defs/tree"});
    }
    schema
}

fn object(random: &mut Random, depth: usize) -> Value {
    let mut properties = Map::new();
    for number in 0..=random.below(4) {
        properties.insert(format!("p{number}"), any(random, depth + 1));
    }
    let required: Vec<String> = properties.keys().filter(|_| random.flip()).cloned().collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    match random.below(5) {
        0 => schema["additionalProperties"] = json!(false),
        1 => schema["additionalProperties"] = any(random, depth + 2),
        2 if properties_of(&schema) > 1 => {
            schema["dependentRequired"] = json!({"p0": ["p1"]});
        }
        3 => schema["minProperties"] = json!(1),
        _ => {}
    }
    schema
}

fn properties_of(schema: &Value) -> usize {
    schema["properties"].as_object().map_or(0, Map::len)
}

fn any(random: &mut Random, depth: usize) -> Value {
    let leaf = depth > 3;
    match random.below(if leaf { 8 } else { 14 }) {
        0 => integer(random),
        1 => number(random),
        2 | 3 => text(random),
        4 => json!({"type": "boolean"}),
        5 => json!({"enum": ["one", "two", 3, null]}),
        6 => json!({"const": random.below(5)}),
        7 => {
            json!({"type": [random.pick(&["string", "integer"]).copied().unwrap_or_default(), "null"]})
        }
        8 => object(random, depth),
        9 | 10 => array(random, depth),
        11 => json!({"anyOf": [integer(random), text(random)]}),
        12 => {
            json!({"oneOf": [{"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]}, object_of_kind_b(random)]})
        }
        _ => {
            json!({"allOf": [{"type": "integer"}, {"minimum": random.below(10)}, {"maximum": 10 + random.below(10)}]})
        }
    }
}

fn object_of_kind_b(random: &mut Random) -> Value {
    json!({"type": "object", "properties": {"kind": {"const": "b"}, "n": integer(random)}, "required": ["kind", "n"], "additionalProperties": false})
}

fn integer(random: &mut Random) -> Value {
    let mut schema = json!({"type": "integer"});
    let low = i64::try_from(random.below(200)).unwrap_or_default() - 100;
    match random.below(6) {
        0 => schema["minimum"] = json!(low),
        1 => schema["exclusiveMaximum"] = json!(low),
        2 => {
            schema["minimum"] = json!(low);
            schema["maximum"] = json!(low + i64::try_from(random.below(20)).unwrap_or_default());
        }
        3 => schema["multipleOf"] = json!(1 + random.below(9)),
        4 => {
            schema["multipleOf"] = json!(2 + random.below(5));
            schema["exclusiveMinimum"] = json!(low);
        }
        _ => {}
    }
    schema
}

fn number(random: &mut Random) -> Value {
    let mut schema = json!({"type": "number"});
    match random.below(5) {
        0 => schema["minimum"] = json!(0.5),
        1 => {
            schema["exclusiveMinimum"] = json!(0);
            schema["exclusiveMaximum"] = json!(1 + random.below(5));
        }
        2 => schema["multipleOf"] = json!(0.25),
        3 => schema["maximum"] = json!(-1.25),
        _ => {}
    }
    schema
}

fn text(random: &mut Random) -> Value {
    let mut schema = json!({"type": "string"});
    match random.below(7) {
        0 => schema["minLength"] = json!(1 + random.below(10)),
        1 => schema["maxLength"] = json!(random.below(10)),
        2 => {
            schema["minLength"] = json!(2);
            schema["maxLength"] = json!(2 + random.below(5));
        }
        3 => {
            schema["pattern"] = json!(
                random
                    .pick(&["^[a-z]+$", "^[A-Z]{3}-[0-9]{2,4}$", "^(foo|bar)$", "x", "^\\S+$"])
                    .copied()
                    .unwrap_or_default()
            );
        }
        4 => {
            schema["format"] = json!(
                random
                    .pick(&["date", "date-time", "email", "uri", "uuid", "ipv4"])
                    .copied()
                    .unwrap_or_default()
            );
        }
        5 => schema["default"] = json!("by default"),
        _ => {}
    }
    schema
}

fn array(random: &mut Random, depth: usize) -> Value {
    let mut schema = json!({"type": "array", "items": any(random, depth + 1)});
    match random.below(6) {
        0 => schema["minItems"] = json!(1 + random.below(3)),
        1 => schema["maxItems"] = json!(random.below(4)),
        2 => {
            schema["items"] = integer(random);
            schema["uniqueItems"] = json!(true);
        }
        3 => schema["prefixItems"] = json!([{"type": "string"}, {"type": "integer"}]),
        _ => {}
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::super::cases::{CaseKind, Limits, cases};
    use super::schema_for;
    use crate::schema;

    #[test]
    fn over_two_thousand_random_schemas_every_case_is_what_it_says() {
        let (mut with_both, mut valid, mut invalid, mut usable) = (0, 0, 0, 0);
        for seed in 0..2000 {
            let made_of = schema_for(seed);
            let Ok(made) = cases(&made_of, Limits::default()) else { continue };
            usable += 1;
            let validator = schema::compile(&made_of).unwrap();
            let mut kinds = (false, false);
            for case in &made.cases {
                match &case.kind {
                    CaseKind::Valid => {
                        kinds.0 = true;
                        valid += 1;
                        assert!(
                            validator.is_valid(&case.value),
                            "{seed} {}: {} for {made_of}",
                            case.id,
                            case.value
                        );
                    }
                    // Only a validator that insists on formats refuses it.
                    CaseKind::Invalid { .. } if case.doubtful => {}
                    CaseKind::Invalid { keyword, place } => {
                        kinds.1 = true;
                        invalid += 1;
                        let broken = schema::broken(&validator, &case.value);
                        let only = broken.iter().all(|it| it.0 == *keyword && it.1 == *place);
                        assert!(
                            !broken.is_empty() && only,
                            "{seed} {}: {} for {made_of}: {broken:?}",
                            case.id,
                            case.value
                        );
                    }
                    CaseKind::Answered => {}
                }
            }
            with_both += usize::from(kinds.0 && kinds.1);
        }
        assert!(usable >= 1990, "{usable}");
        assert!(
            with_both * 10 >= usable * 9,
            "{with_both} of {usable} have both kinds; {valid} valid and {invalid} invalid cases"
        );
    }

    #[test]
    fn the_same_schema_gives_the_same_cases() {
        for seed in [3, 17, 99] {
            let made_of = schema_for(seed);
            let one = cases(&made_of, Limits::default()).unwrap();
            let other = cases(&made_of, Limits::default()).unwrap();
            assert_eq!(one.cases, other.cases);
        }
    }
}
