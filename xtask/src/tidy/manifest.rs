//! Reads the dependencies out of a Cargo.toml, with their lines and the comments beside them.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Build,
    Dev,
    Normal,
    /// Offered to the members in `[workspace.dependencies]`.
    Workspace,
}

#[derive(Debug)]
pub(super) struct Dependency {
    /// Where it begins, counted from one.
    pub(super) line: usize,
    pub(super) kind: Kind,
    /// The key; `package()` knows better where the dependency is renamed.
    name: String,
    /// All its lines, key included, without comments.
    value: String,
    /// Whether a comment stands behind one of its lines.
    pub(super) has_reason: bool,
}

impl Dependency {
    /// The name under which it is published.
    pub(super) fn package(&self) -> &str {
        let quoted = self.setting("package").and_then(|value| value.strip_prefix('"'));
        quoted.and_then(|value| value.split('"').next()).unwrap_or(&self.name)
    }

    pub(super) fn has_path(&self) -> bool {
        self.setting("path").is_some()
    }

    pub(super) fn is_inherited(&self) -> bool {
        self.setting("workspace").is_some_and(|value| value.starts_with("true"))
    }

    /// What follows `key =` somewhere in the value.
    fn setting(&self, key: &str) -> Option<&str> {
        super::scan::words(&self.value, key).find_map(|at| {
            let rest = self.value[at + key.len()..].trim_start();
            rest.strip_prefix('=').map(str::trim_start)
        })
    }

    fn extend(&mut self, content: &str, has_reason: bool) {
        self.value.push(' ');
        self.value.push_str(content);
        self.has_reason |= has_reason;
    }
}

/// The dependencies of all kinds and targets, in their order.
pub(super) fn dependencies(text: &str) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    let mut section = Section::Other;
    let mut depth = 0;
    for (line, number) in text.lines().zip(1..) {
        let (content, comment) = split_comment(line);
        let content = content.trim();
        let has_reason = !content.is_empty() && !comment.trim().is_empty();
        let dependency = |kind, name: &str, value: &str| Dependency {
            line: number,
            kind,
            name: name.trim().trim_matches('"').to_owned(),
            value: value.to_owned(),
            has_reason,
        };
        if depth == 0
            && let Some(header) = content.strip_prefix('[')
        {
            section = Section::of(header.trim_end_matches(']'));
            if let Section::One(kind, name) = section {
                found.push(dependency(kind, name, ""));
            }
            continue;
        }
        let starts_here = match section {
            Section::Other => continue,
            Section::Many(kind) if depth == 0 => {
                content.split_once(['=', '.']).map(|(name, _)| dependency(kind, name, content))
            }
            Section::Many(_) | Section::One(..) => None,
        };
        depth += nesting(content);
        match (starts_here, found.last_mut()) {
            (Some(new), Some(last)) if last.kind == new.kind && last.name == new.name => {
                last.extend(content, has_reason);
            }
            (Some(new), _) => found.push(new),
            (None, Some(last)) => last.extend(content, has_reason),
            (None, None) => {}
        }
    }
    found
}

#[derive(Clone, Copy)]
enum Section<'a> {
    /// `[dependencies]`
    Many(Kind),
    /// `[dependencies.name]`
    One(Kind, &'a str),
    Other,
}

impl<'a> Section<'a> {
    /// From what stands between the brackets, such as `target.'cfg(unix)'.dependencies`.
    fn of(header: &'a str) -> Self {
        if let Some(kind) = kind(header) {
            return Self::Many(kind);
        }
        match header.rsplit_once('.') {
            Some((table, name)) => kind(table).map_or(Self::Other, |kind| Self::One(kind, name)),
            None => Self::Other,
        }
    }
}

fn kind(table: &str) -> Option<Kind> {
    let (parent, name) = table.rsplit_once('.').unwrap_or(("", table));
    match name {
        "dependencies" if parent == "workspace" => Some(Kind::Workspace),
        "dependencies" => Some(Kind::Normal),
        "build-dependencies" => Some(Kind::Build),
        "dev-dependencies" => Some(Kind::Dev),
        _ => None,
    }
}

/// Splits a line at the `#` that begins its comment.
fn split_comment(line: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '#') => return (&line[..at], &line[at + 1..]),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    (line, "")
}

/// How many more brackets a line opens than it closes.
fn nesting(content: &str) -> i32 {
    content.chars().fold(0, |depth, c| match c {
        '[' | '{' => depth + 1,
        ']' | '}' => depth - 1,
        _ => depth,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_table_is_read() {
        let text = "[package]\nname = \"a\"\n[dependencies]\nb = \"1\"\n[dev-dependencies]\nc.workspace = true\n\
                    [build-dependencies]\nd = { version = \"1\" }\n[target.'cfg(unix)'.dependencies]\ne = \"1\"\n\
                    [dependencies.f]\nversion = \"1\"\n[workspace.dependencies]\ng = \"1\"\n[features]\nh = []";
        assert_eq!(
            read(text),
            [
                (4, Kind::Normal, "b".into()),
                (6, Kind::Dev, "c".into()),
                (8, Kind::Build, "d".into()),
                (10, Kind::Normal, "e".into()),
                (11, Kind::Normal, "f".into()),
                (14, Kind::Workspace, "g".into()),
            ]
        );
    }

    #[test]
    fn a_value_over_several_lines_is_one_dependency() {
        let text =
            "[dependencies]\na = { version = \"1\", features = [\n  \"b\", # why\n] }\nc = \"1\"";
        let all = dependencies(text);
        assert_eq!(read(text), [(2, Kind::Normal, "a".into()), (5, Kind::Normal, "c".into())]);
        assert_eq!(all.iter().map(|found| found.has_reason).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn dotted_keys_of_one_name_are_one_dependency() {
        let text = "[dependencies]\na.workspace = true\na.features = [\"b\"]";
        assert_eq!(read(text), [(2, Kind::Normal, "a".into())]);
        assert!(dependencies(text)[0].is_inherited());
    }

    #[test]
    fn a_renamed_dependency_has_the_name_it_is_published_under() {
        let text = "[dependencies]\na = { package = \"b\", version = \"1\" }\n[dependencies.c]\npackage = \"d\"";
        assert_eq!(read(text), [(2, Kind::Normal, "b".into()), (3, Kind::Normal, "d".into())]);
    }

    #[test]
    fn a_hash_in_quotes_is_no_comment() {
        assert!(!dependencies("[dependencies]\na = \"1#2\"")[0].has_reason);
    }

    fn read(text: &str) -> Vec<(usize, Kind, String)> {
        let all = dependencies(text);
        all.iter().map(|found| (found.line, found.kind, found.package().to_owned())).collect()
    }
}
