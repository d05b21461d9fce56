//! An npm lock file pins packages by checksum; the address of a registry mirror stays out.

use super::Finding;
use super::file::File;

pub(super) fn check(file: &File) -> Vec<Finding> {
    if !LOCK_FILES.contains(&file.name()) {
        return Vec::new();
    }
    let numbered = file.text.lines().zip(1..);
    numbered
        .filter(|(line, _)| names_an_address(line))
        .map(|(_, line)| Finding {
            line,
            reason: "the address of a registry: lock again with \
                     omit-lockfile-registry-resolved=true"
                .into(),
        })
        .collect()
}

fn names_an_address(line: &str) -> bool {
    line.split("\"resolved\"").any(|rest| {
        let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
        value.is_some_and(|value| value.starts_with("\"http"))
    })
}

const LOCK_FILES: [&str; 2] = ["package-lock.json", "npm-shrinkwrap.json"];

#[cfg(test)]
mod tests {
    use super::super::lines;
    use super::*;

    #[test]
    fn a_registry_address_is_refused() {
        let text = "{\n  \"resolved\": \"https://registry.example/a.tgz\"\n}";
        assert_eq!(lines(check, "interop/package-lock.json", text), [2]);
        let text = "{\"version\":\"1\",\"resolved\":\"http://registry.example/a.tgz\"}";
        assert_eq!(lines(check, "package-lock.json", text), [1]);
    }

    #[test]
    fn checksums_and_local_packages_are_fine() {
        let text = "\"integrity\": \"sha512-a\",\n\"resolved\": \"../peer\", \"a\": \"http\"";
        assert!(lines(check, "interop/package-lock.json", text).is_empty());
    }

    #[test]
    fn other_files_may_use_the_word() {
        let text = "{\"resolved\": \"https://example.com\"}";
        assert!(lines(check, "crates/core/tests/data/a.json", text).is_empty());
    }
}
