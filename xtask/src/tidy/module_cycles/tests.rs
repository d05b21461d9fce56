use super::super::complaints;
use super::*;

#[test]
fn a_cycle_is_found_with_the_references_that_make_it() {
    let found = in_tree(&[("a.rs", "\nuse crate::b::B;"), ("b.rs", "fn b() { crate::a::c() }")]);
    assert_eq!(
        found,
        ["crates/x/src/a.rs:2: modules of crates/x in a cycle: \
          a -> b (crates/x/src/a.rs:2), b -> a (crates/x/src/b.rs:1)"]
    );
}

#[test]
fn modules_that_look_down_are_fine() {
    let tree = [("a.rs", "use crate::{b, c};"), ("b.rs", "use crate::c::C;"), ("c.rs", "")];
    assert_eq!(in_tree(&tree), NONE);
}

#[test]
fn a_longer_cycle_and_the_rest_of_its_knot_are_named() {
    let tree = [
        ("a.rs", "use crate::b;"),
        ("b.rs", "use crate::c;\nuse crate::d;"),
        ("c.rs", "use crate::a;"),
        ("d/e.rs", "use crate::f;"),
        ("f.rs", "use crate::a;"),
    ];
    let found = in_tree(&tree);
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("a -> b (crates/x/src/a.rs:1), b -> c ("), "{found:?}");
    assert!(found[0].ends_with("; in the same knot: d, f"), "{found:?}");
}

#[test]
fn each_crate_has_its_own_graph() {
    let tree = [
        ("crates/x/src/a.rs", "use crate::b;"),
        ("crates/x/src/b.rs", ""),
        ("crates/y/src/b.rs", "use crate::a;"),
        ("crates/y/src/a.rs", ""),
        ("xtask/src/c.rs", "use crate::d;"),
        ("xtask/src/d.rs", "use crate::c;"),
        ("bench/src/e.rs", "use crate::f;"),
        ("bench/src/f.rs", "use crate::e;"),
    ];
    let found = complaints(check, &tree);
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("xtask/src/c.rs:1: modules of xtask"), "{found:?}");
}

#[test]
fn tests_do_not_count() {
    for tests in [
        "#[cfg(test)]\nmod tests { use crate::b; }",
        "#[cfg(all(test, unix))] use crate::{b::C, d};",
        "#[cfg(test)]\n#[derive(Debug)]\npub(crate) struct C<A, D> { b: crate::b::B }",
        "struct C {\n#[cfg(test)]\nb: crate::b::B, d: D }",
        "#![cfg(test)]\nuse crate::b;",
        "#[cfg(test)]\nfn c<A, D>(a: A, d: D) { crate::b::c(a, d) }",
    ] {
        assert_eq!(in_tree(&[("a.rs", tests), ("b.rs", "use crate::a;")]), NONE, "{tests}");
    }
    let declared = "#[cfg(test)]\nmod support;\n";
    let support =
        [("a.rs", declared), ("a/support.rs", "use crate::b;"), ("b.rs", "use crate::a;")];
    assert_eq!(in_tree(&support), NONE);
    let in_a_file = [("a/tests.rs", "use crate::b;"), ("a/tests/c.rs", "use crate::b;")];
    assert_eq!(
        in_tree(&[&in_a_file[..], &[("b.rs", "use crate::a;"), ("a.rs", "")]].concat()),
        NONE
    );
}

#[test]
fn what_follows_a_test_counts() {
    for code in [
        "#[cfg(test)]\nmod tests;\nuse crate::b;",
        "#[cfg(test)]\nuse crate::{c};\nuse crate::b;",
        "struct A {\n#[cfg(test)]\nb: B, d: crate::b::D }",
        "#[cfg(not(test))]\nuse crate::b;",
        "#[cfg(any(test, unix))]\nuse crate::b;",
        "enum A { #[cfg(test)] B }\nuse crate::b;",
    ] {
        assert_eq!(in_tree(&[("a.rs", code), ("b.rs", "use crate::a;")]).len(), 1, "{code}");
    }
}

#[test]
fn grouped_and_nested_uses_count() {
    for code in [
        "use crate::{c, b};",
        "use crate::{c::{d, e::{f}}, b::{g, h}};",
        "use crate::{c as d, b as e};",
        "use crate::b::*;",
        "use crate::{self, b::{self}};",
        "pub use crate::b as d;",
        "fn a() -> Vec<crate::b::B<u8>> { $crate::c::d::<u8>() }",
        "use std::{fmt, io};\nuse crate::{\n    c::{\n        d,\n    },\n    b,\n};",
    ] {
        assert_eq!(in_tree(&[("a.rs", code), ("b.rs", "use crate::a;")]).len(), 1, "{code}");
    }
    for code in ["use crate::{c::{b}, d::b};", "use other::b;", "use crate::a::b;", "self::b::c();"]
    {
        assert_eq!(in_tree(&[("a.rs", code), ("b.rs", "use crate::a;")]), NONE, "{code}");
    }
}

#[test]
fn super_paths_that_reach_the_root_count() {
    let back = ("b.rs", "use crate::a;");
    assert_eq!(in_tree(&[("a.rs", "use super::b;"), back]).len(), 1);
    assert_eq!(in_tree(&[("a/c/d.rs", "use super::super::super::{e, b::B};"), back]).len(), 1);
    assert_eq!(in_tree(&[("a/c.rs", "use super::{super::b};"), back]).len(), 1);
    assert_eq!(in_tree(&[("a.rs", "mod c { use super::super::b; }"), back]).len(), 1);
    assert_eq!(in_tree(&[("a/c.rs", "use super::b;"), back]), NONE);
    assert_eq!(in_tree(&[("a.rs", "mod c { use super::b; }"), back]), NONE);
}

#[test]
fn a_name_that_the_root_takes_from_a_module_counts_as_that_module() {
    for root in
        ["pub use b::B;", "pub use self::b::{C, D as B};", "pub use {b::B};", "use crate::b::B;"]
    {
        let tree = [("lib.rs", root), ("a.rs", "use crate::B;"), ("b.rs", "use crate::a;")];
        assert_eq!(in_tree(&tree).len(), 1, "{root}");
    }
    let tree = [("lib.rs", "pub use b::B;"), ("a.rs", "use crate::C;"), ("b.rs", "use crate::a;")];
    assert_eq!(in_tree(&tree), NONE);
}

#[test]
fn modules_inside_the_root_count() {
    let tree = [("lib.rs", "mod b { use crate::a; }"), ("a.rs", "use crate::b;")];
    assert_eq!(in_tree(&tree).len(), 1);
}

#[test]
fn sentences_and_literals_do_not_count() {
    let code = "//! See [`crate::b`].\nlet a = \"crate::b\"; // crate::b";
    assert_eq!(in_tree(&[("a.rs", code), ("b.rs", "use crate::a;")]), NONE);
}

const NONE: [String; 0] = [];

fn in_tree(files: &[(&str, &str)]) -> Vec<String> {
    let paths: Vec<_> = files.iter().map(|(path, _)| format!("crates/x/src/{path}")).collect();
    let tree: Vec<_> =
        paths.iter().map(String::as_str).zip(files.iter().map(|(_, text)| *text)).collect();
    complaints(check, &tree)
}
