//! Which files concern which servers.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use proofmark_test::file::{Reach, Server, Suite};

/// Watches the folder of the file, and the sources of its servers.
pub(super) fn follow(watcher: &mut RecommendedWatcher, suite: &Suite) {
    // What is watched already stays so; a folder that is not there yet is not.
    let _ = watcher.watch(suite.folder(), RecursiveMode::NonRecursive);
    for source in suite.servers.values().flat_map(|server| sources(suite, server)) {
        let _ = if source.is_dir() {
            watcher.watch(&source, RecursiveMode::Recursive)
        } else {
            watcher.watch(source.parent().unwrap_or(&source), RecursiveMode::NonRecursive)
        };
    }
}

/// Whether a change of this path concerns anything.
pub(super) fn concerns(suite: &Suite, path: &Path) -> bool {
    is_test_file(suite, path) || !servers_of(suite, &[path.to_owned()].into()).is_empty()
}

/// The file, or one beside it that it may extend.
pub(super) fn is_test_file(suite: &Suite, path: &Path) -> bool {
    let ends = path.extension().is_some_and(|end| end == "yaml" || end == "yml" || end == "json");
    let folder = suite.folder().canonicalize().unwrap_or_else(|_| suite.folder().to_owned());
    ends && path.parent().is_some_and(|it| same(it, &folder))
}

/// The servers whose sources are among these paths.
pub(super) fn servers_of(suite: &Suite, paths: &BTreeSet<PathBuf>) -> BTreeSet<String> {
    let concerned = suite.servers.values().filter(|server| {
        let sources = sources(suite, server);
        paths
            .iter()
            .filter(|path| !is_noise(path))
            .any(|path| sources.iter().any(|source| path.starts_with(source) || same(path, source)))
    });
    concerned.map(|server| server.name.clone()).collect()
}

/// What the file says, or else the folder of the command and the files that it names.
fn sources(suite: &Suite, server: &Server) -> Vec<PathBuf> {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if !server.watch.is_empty() {
        return server.watch.iter().map(|path| whole(path)).collect();
    }
    let Reach::Command { words, folder, .. } = &server.reach else { return Vec::new() };
    let base = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found: Vec<PathBuf> = Vec::new();
    for word in words {
        let path = base.join(word);
        let named = word.contains(['/', '.']) && path.is_file();
        if !named {
            continue;
        }
        let path = whole(&path);
        let relative = Path::new(word).is_relative();
        match path.parent() {
            // A script lies among its sources; a program elsewhere is only itself.
            Some(parent) if relative && parent.parent().is_some() => found.push(parent.to_owned()),
            _ => found.push(path),
        }
    }
    if !same(base, suite.folder()) && base != Path::new(".") {
        found.push(whole(base));
    }
    found
}

/// What programs write beside their sources.
fn is_noise(path: &Path) -> bool {
    let noisy = |name: &str| {
        matches!(name, ".git" | "node_modules" | "target" | "__pycache__" | ".proofmark" | ".venv")
            || name.ends_with(".snapshots")
            || name.ends_with('~')
            || name.starts_with(".#")
    };
    path.extension().is_some_and(|it| it == "swp")
        || path.components().any(|part| part.as_os_str().to_str().is_some_and(noisy))
}

fn same(one: &Path, other: &Path) -> bool {
    one == other
        || one
            .canonicalize()
            .ok()
            .zip(other.canonicalize().ok())
            .is_some_and(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_those_of_the_file_and_of_a_servers_sources() {
        let folder = std::env::temp_dir().join(format!("proofmark-sources-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("one/node_modules")).unwrap();
        std::fs::create_dir_all(folder.join("two")).unwrap();
        std::fs::write(folder.join("one/server.py"), "").unwrap();
        let file = folder.join("proofmark.yaml");
        let text = "servers:\n  a: {command: [python3, one/server.py]}\n  b: {command: x, watch: two}\n  c: {url: 'http://127.0.0.1:1/mcp'}\n";
        std::fs::write(&file, text).unwrap();
        let suite =
            proofmark_test::file::load(&file, &|_| None).unwrap_or_else(|why| panic!("{why}"));
        let folder = folder.canonicalize().unwrap();
        let concerned = |path: &str| -> Vec<String> {
            servers_of(&suite, &[folder.join(path)].into()).into_iter().collect()
        };
        assert_eq!(concerned("one/helper.py"), ["a"]);
        assert_eq!(concerned("two/deep/x.rs"), ["b"]);
        assert_eq!(concerned("one/node_modules/x.js"), Vec::<String>::new());
        assert_eq!(concerned("three/x"), Vec::<String>::new());
        assert!(is_test_file(&suite, &folder.join("proofmark.yaml")));
        assert!(is_test_file(&suite, &folder.join("base.yml")));
        assert!(!concerns(&suite, &folder.join("proofmark.snapshots/a/t.yaml")));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
