//! Licences, banned crates and sources of all that we depend on, as `deny.toml` has them.
//!
//! `cargo deny` decides the same and more, and is run too where it is installed. To compile it takes longer than all other steps, so that what
//! has to hold in every run is read from `cargo metadata` here.

mod licence;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use self::licence::is_allowed;

pub(crate) fn run(root: &Path) -> Result<String, String> {
    let text = fs::read_to_string(root.join("deny.toml")).map_err(|error| error.to_string())?;
    let packages = packages(root)?;
    let complaints = Rules::read(&text).complaints(&packages);
    if !complaints.is_empty() {
        return Err(complaints.join("\n"));
    }
    let own =
        format!("licences, bans and sources of {} packages are as deny.toml says", packages.len());
    let mut deny = cargo(root);
    deny.args(["deny", "--version"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !deny.status().is_ok_and(|status| status.success()) {
        return Ok(format!("{own}; cargo-deny, which would look at them too, is not installed"));
    }
    let mut deny = cargo(root);
    deny.args(["deny", "--offline", "check", "licenses", "bans", "sources"]);
    match deny.status() {
        Ok(status) if status.success() => Ok(format!("{own}, and cargo-deny says so too")),
        Ok(status) => Err(format!("cargo deny failed ({status})")),
        Err(error) => Err(format!("could not start cargo deny: {error}")),
    }
}

/// What `deny.toml` allows and bans.
#[derive(Debug, Default, PartialEq, Eq)]
struct Rules {
    licences: BTreeSet<String>,
    banned: BTreeSet<String>,
    registries: BTreeSet<String>,
}

/// What counts of a package.
#[derive(Debug, Default)]
struct Package {
    name: String,
    licence: String,
    /// `None` for our own.
    source: Option<String>,
    /// Of our own packages, dependencies from a registry in any version.
    wild: Vec<String>,
}

impl Rules {
    fn read(text: &str) -> Self {
        let (mut rules, mut table, mut list) = (Self::default(), String::new(), String::new());
        for line in text.lines() {
            let line = line.split(" #").next().unwrap_or_default().trim();
            if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'))
                && list.is_empty()
            {
                header.clone_into(&mut table);
                continue;
            }
            let (key, values) = match line.split_once(" = [") {
                Some((key, values)) if list.is_empty() => (key, values),
                _ => ("", line),
            };
            if !key.is_empty() {
                key.clone_into(&mut list);
            }
            match (table.as_str(), list.as_str()) {
                ("licenses", "allow") => rules.licences.extend(quoted(values)),
                ("sources", "allow-registry") => rules.registries.extend(quoted(values)),
                ("bans", "deny") => {
                    let named = values.split_once("crate = ");
                    rules.banned.extend(named.and_then(|(_, name)| quoted(name).next()));
                }
                _ => {}
            }
            if values.ends_with(']') {
                list.clear();
            }
        }
        rules
    }

    fn complaints(&self, packages: &[Package]) -> Vec<String> {
        let mut complaints = Vec::new();
        for package in packages {
            let Package { name, licence, source, wild } = package;
            if !is_allowed(licence, &self.licences) {
                complaints.push(format!("{name}: the licence {licence:?} is not allowed"));
            }
            if self.banned.contains(name) {
                complaints.push(format!("{name} is banned"));
            }
            let known = |source: &String| {
                let registry = source.strip_prefix("registry+");
                registry.is_some_and(|registry| self.registries.contains(registry))
            };
            if !source.as_ref().is_none_or(known) {
                complaints.push(format!("{name} comes from elsewhere: {source:?}"));
            }
            let wild = wild.iter().map(|other| format!("{name} takes any version of {other}"));
            complaints.extend(wild);
        }
        for licence in &self.licences {
            if !packages.iter().any(|package| licence::names(&package.licence, licence)) {
                complaints.push(format!("the licence {licence} is allowed, and no package has it"));
            }
        }
        complaints
    }
}

fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let asked = cargo(root)
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("could not start cargo metadata: {error}"))?;
    if !asked.status.success() {
        return Err(format!("cargo metadata failed ({})", asked.status));
    }
    let metadata: Value =
        serde_json::from_slice(&asked.stdout).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    Ok(packages.iter().map(package).collect())
}

fn package(package: &Value) -> Package {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let source = text(&package["source"]);
    let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
    let wild = dependencies.iter().filter(|it| it["req"] == "*" && it["source"].is_string());
    let wild = wild.filter_map(|it| text(&it["name"]));
    Package {
        name: text(&package["name"]).unwrap_or_default(),
        licence: text(&package["license"]).unwrap_or_default(),
        wild: if source.is_none() { wild.collect() } else { Vec::new() },
        source,
    }
}

/// The texts in quotes.
fn quoted(line: &str) -> impl Iterator<Item = String> {
    line.split('"').skip(1).step_by(2).map(str::to_owned)
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).stdin(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_this_repository_are_read() {
        let rules = Rules::read(include_str!("../../deny.toml"));
        for licence in ["Apache-2.0", "MIT", "Unicode-3.0"] {
            assert!(rules.licences.contains(licence), "{rules:?}");
        }
        assert!(rules.banned.contains("openssl") && rules.banned.contains("serde_yaml"));
        assert_eq!(rules.registries.len(), 1);
        assert!(!rules.licences.contains("notify"), "comments are no licences");
    }

    #[test]
    fn each_rule_is_heard() {
        let rules = Rules::read(
            "[licenses]\nallow = [\n  \"MIT\", # a\n]\n[bans]\ndeny = [\n  { crate = \"bad\", reason = \"so\" },\n]\n\
             [sources]\nallow-registry = [\"https://index\"]\n",
        );
        let good = || Package {
            name: "good".into(),
            licence: "MIT".into(),
            source: Some("registry+https://index".into()),
            wild: Vec::new(),
        };
        assert!(rules.complaints(&[good()]).is_empty());
        assert!(rules.complaints(&[Package { source: None, ..good() }]).is_empty());
        for broken in [
            Package { licence: "GPL-3.0".into(), ..good() },
            Package { licence: String::new(), ..good() },
            Package { name: "bad".into(), ..good() },
            Package { source: Some("git+https://index".into()), ..good() },
            Package { wild: vec!["other".into()], ..good() },
        ] {
            assert_eq!(rules.complaints(&[good(), broken]).len(), 1);
        }
        assert_eq!(rules.complaints(&[]).len(), 1, "a licence that no package has");
    }
}
