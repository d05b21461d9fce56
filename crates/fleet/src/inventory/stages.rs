//! The `stages` of a file.

use proofmark_test::{
    file::Reader,
    yaml::{Kind, Node},
};

use super::{Stage, StageGates, reading};

/// A list of names, or of mappings with a `name` and `gates`.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    for item in reader.list(node, "`stages`") {
        let Some(stage) = one(reader, item) else { continue };
        if stages.iter().any(|it| it.name == stage.name) {
            reader.wrong(item.place, format!("there are two stages named {}", stage.name));
        }
        stages.push(stage);
    }
    stages
}

fn one(reader: &mut Reader<'_>, item: &Node) -> Option<Stage> {
    if let Kind::Text(name) = &item.kind {
        return Some(Stage { name: name.clone(), gates: StageGates::default() });
    }
    reader.members(item, "a stage", &["name", "gates"])?;
    let Some(name) = item.get("name") else {
        reader.wrong(item.place, "a stage needs a `name`");
        return None;
    };
    let name = reader.text(name, "the name of a stage")?;
    let gates = item.get("gates").map(|it| gates(reader, it)).unwrap_or_default();
    Some(Stage { name, gates })
}

fn gates(reader: &mut Reader<'_>, node: &Node) -> StageGates {
    let known = ["conformant", "min_score", "tests", "steady"];
    if reader.members(node, "`gates`", &known).is_none() {
        return StageGates::default();
    }
    let mut flag = |key: &str| {
        node.get(key).and_then(|it| reader.flag(it, &format!("`{key}`"))).unwrap_or(false)
    };
    let (conformant, tests) = (flag("conformant"), flag("tests"));
    StageGates {
        conformant,
        tests,
        min_score: node.get("min_score").and_then(|it| reading::score(reader, it)),
        steady: node
            .get("steady")
            .and_then(|it| reader.count(it, "`steady`"))
            .map(|it| u32::try_from(it).unwrap_or(u32::MAX)),
    }
}
