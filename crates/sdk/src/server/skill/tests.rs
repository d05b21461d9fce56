//! Files that are a skill, and files that are not.

use proofmark_core::types::{ResourceContents, SkillResources};
use serde_json::{Value, json};

use super::*;

const PLAIN: &str = "---\nname: a-1\ndescription: Does it.\n---\nDo it.\n";

fn skill(text: &str) -> Result<Skill, SkillError> {
    Skill::from_files([("SKILL.md", text.to_owned())])
}

fn with(front_matter: &str) -> Result<Skill, SkillError> {
    skill(&format!("---\n{front_matter}\n---\n"))
}

fn json_of(skill: &Skill) -> Value {
    let members = skill.frontmatter().iter();
    members
        .map(|(key, raw)| (key.clone(), raw.decode().unwrap()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[test]
fn front_matter_is_yaml_and_all_of_it_is_kept() {
    let skill = with(
        "name: a\ndescription: >\n  folded\n  text\nlicense: \"1.0\"\nn: 1\nf: 1.5\nyes: true\nno: ~\n\
         list: [a, 'b']\nmetadata:\n  deep:\n    - x: y",
    )
    .unwrap();
    assert_eq!(
        json_of(&skill),
        json!({
            "name": "a", "description": "folded text\n", "license": "1.0", "n": 1, "f": 1.5,
            "yes": true, "no": null, "list": ["a", "b"], "metadata": {"deep": [{"x": "y"}]}
        })
    );
}

#[test]
fn lines_may_end_as_they_do_elsewhere() {
    for text in [
        PLAIN.replace('\n', "\r\n"),
        format!("\u{feff}{PLAIN}"),
        "---\nname: a-1\ndescription: Does it.\n--- \t".to_owned(),
    ] {
        let skill = skill(&text).unwrap();
        assert_eq!(json_of(&skill), json!({"name": "a-1", "description": "Does it."}), "{text:?}");
    }
}

#[test]
fn a_file_without_front_matter_is_no_skill() {
    for text in ["", "# Title", "name: a", "---\nname: a\n", " ---\nname: a\n---\n", "----\n---\n"]
    {
        assert_eq!(skill(text).unwrap_err(), SkillError::NoFrontmatter, "{text:?}");
    }
    let binary = Skill::from_files([("SKILL.md", vec![0xff])]);
    assert_eq!(binary.unwrap_err(), SkillError::NoFrontmatter);
}

#[test]
fn front_matter_that_json_cannot_say_is_refused() {
    for yaml in [
        "name: [",
        "- a",
        "just a text",
        "name: a\ndescription: b\n1: c",
        "name: a\ndescription: b\nx: .nan",
        "name: a\ndescription: b\nname: c",
        "name: a\ndescription: b\nx: !mine c",
        "name: 1\ndescription: b",
        "name: a",
    ] {
        let error = with(yaml).unwrap_err();
        assert!(matches!(error, SkillError::Frontmatter(_)), "{yaml:?}: {error:?}");
    }
    let deep = format!("name: a\ndescription: b\nx: {}{}", "[".repeat(40), "]".repeat(40));
    assert!(matches!(with(&deep), Err(SkillError::Frontmatter(_))));
    let long = format!("name: a\ndescription: b\nx: {}", "y".repeat(65 * 1024));
    assert!(matches!(with(&long), Err(SkillError::Frontmatter(_))));
}

#[test]
fn names_are_lower_case_words_with_hyphens_between() {
    for name in ["a", "a-b", "pdf-2", &"x".repeat(64)] {
        assert!(with(&format!("name: {name:?}\ndescription: d")).is_ok(), "{name}");
    }
    for name in ["", "A", "a_b", "-a", "a-", "a--b", "ä", "a b", "a/b", &"x".repeat(65)] {
        let error = with(&format!("name: {name:?}\ndescription: d")).unwrap_err();
        assert_eq!(error, SkillError::Name { name: name.to_owned() });
    }
}

#[test]
fn a_description_is_neither_missing_nor_a_book() {
    let of = |length: usize| with(&format!("name: a\ndescription: {:?}", "é".repeat(length)));
    assert!(of(1024).is_ok());
    assert_eq!(of(0).unwrap_err(), SkillError::Description);
    assert_eq!(of(1025).unwrap_err(), SkillError::Description);
}

#[test]
fn metadata_of_the_protocol_is_not_for_skills() {
    let error = with("name: a\ndescription: d\nmetadata:\n  io.modelcontextprotocol/x: y");
    let key = "io.modelcontextprotocol/x".to_owned();
    assert_eq!(error.unwrap_err(), SkillError::ReservedMetadata { key });
}

#[test]
fn paths_lead_into_the_folder_and_to_one_file() {
    for path in ["", "/a", "a/", "a//b", "../a", "a/./b", "a\\b", "a\nb"] {
        let files = [("SKILL.md", PLAIN), (path, "")];
        let expected = SkillError::BadPath { path: path.to_owned() };
        assert_eq!(Skill::from_files(files).unwrap_err(), expected);
        assert!(skill(PLAIN).unwrap().under(path).is_err(), "{path:?}");
    }
    let twice = Skill::from_files([("SKILL.md", PLAIN), ("SKILL.md", PLAIN)]);
    assert_eq!(twice.unwrap_err(), SkillError::Ambiguous { path: "SKILL.md".into() });
    let both = Skill::from_files([("SKILL.md", PLAIN), ("a", ""), ("a/b/c", "")]);
    assert_eq!(both.unwrap_err(), SkillError::Ambiguous { path: "a".into() });
    assert_eq!(Skill::from_files([("a.md", PLAIN)]).unwrap_err(), SkillError::NoSkill);
}

#[test]
fn a_skill_is_as_large_as_every_client_can_take_and_not_larger() {
    let many = |count: usize| {
        let others = (1..count).map(|at| (format!("{at}"), String::new()));
        Skill::from_files(others.chain([("SKILL.md".to_owned(), PLAIN.to_owned())]))
    };
    assert!(many(Skill::MAX_FILES).is_ok());
    assert_eq!(many(Skill::MAX_FILES + 1).unwrap_err(), SkillError::TooLarge);
    let large = |bytes: usize| {
        Skill::from_files([("SKILL.md", PLAIN.as_bytes().to_vec()), ("b", vec![0; bytes])])
    };
    assert!(large(Skill::MAX_BYTES - PLAIN.len()).is_ok());
    assert_eq!(large(Skill::MAX_BYTES - PLAIN.len() + 1).unwrap_err(), SkillError::TooLarge);
}

#[test]
fn files_have_uris_types_sizes_and_digests() {
    let files = [("SKILL.md", PLAIN.as_bytes()), ("my files/ü.bin", &[0xff, 0]), ("x.py", b"abc")];
    let ready = Skill::from_files(files).unwrap().under("acme/tools").unwrap().ready();
    let root = "skill://acme/tools/a-1";
    assert_eq!(ready.entry.uri, format!("{root}/SKILL.md"));
    let SkillResources::Listed(listed) = &ready.entry.resources else { panic!("they are listed") };
    let uris: Vec<_> = listed.iter().map(|file| file.uri.as_str()).collect();
    let binary = format!("{root}/my%20files/%C3%BC.bin");
    assert_eq!(uris, [&ready.entry.uri, &binary, &format!("{root}/x.py")]);
    // The digest of "abc" is an example of FIPS 180-2.
    let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!((listed[2].digest.as_str(), listed[2].size), (abc, 3));
    let Some(ResourceContents::Blob(blob)) = ready.content(&binary) else { panic!("not a blob") };
    assert_eq!(blob.blob, "/wA=");
    assert_eq!(blob.mime_type.as_deref(), Some("application/octet-stream"));
    let inside = |uri: &str| ready.folder(uri).map(|folder| folder.keys.clone());
    let folder = format!("{root}/my%20files");
    assert_eq!(
        inside(root),
        Some(vec![ready.entry.uri.clone(), folder.clone(), format!("{root}/x.py")])
    );
    assert_eq!(inside(&folder), Some(vec![binary]));
    assert_eq!(inside(&ready.entry.uri), None);
    assert_eq!(inside("skill://acme/tools"), None);
}

#[test]
fn a_skill_in_a_skill_agrees_with_the_outer_one_or_is_refused() {
    let inner = || [("SKILL.md", PLAIN), ("more.md", "more")];
    let outer = |more: &'static str| {
        Skill::from_files([
            ("SKILL.md", "---\nname: outer\ndescription: d\n---\n"),
            ("a-1/SKILL.md", PLAIN),
            ("a-1/more.md", more),
        ])
        .unwrap()
        .ready()
    };
    let inner = Skill::from_files(inner()).unwrap().under("outer").unwrap().ready();
    assert!(outer("more").agrees_with(&inner));
    assert!(inner.agrees_with(&outer("more")));
    assert!(!outer("less").agrees_with(&inner));
    assert!(!inner.agrees_with(&outer("less")));
    let elsewhere = skill(PLAIN).unwrap().under("outer-2").unwrap().ready();
    assert!(elsewhere.agrees_with(&outer("more")));
}
