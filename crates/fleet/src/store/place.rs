//! Where a history is: in a file of `SQLite`, or in a database of `PostgreSQL` that several machines share.

use std::{
    fmt::{self, Display},
    path::{Path, PathBuf},
};

#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    File(PathBuf),
    /// As `postgres://user@host/database`.
    Url(String),
}

impl Place {
    /// What a person wrote: an address of `PostgreSQL`, or else a file.
    pub fn parse(text: &Path) -> Self {
        match text.to_str() {
            Some(url) if SCHEMES.iter().any(|it| url.starts_with(it)) => Self::Url(url.to_owned()),
            _ => Self::File(text.to_owned()),
        }
    }

    /// Whether it is known that nothing is there yet.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::File(path) if !path.exists())
    }
}

impl From<PathBuf> for Place {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

/// Without a password.
impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Url(url) => f.write_str(&without_password(url)),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// Options may have one, too, so that they are left out.
fn without_password(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else { return "PostgreSQL".to_owned() };
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let name = user.split(':').next().unwrap_or_default();
            format!("{scheme}://{name}@{host}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        for (url, shown) in [
            ("postgres://ann:se@cret@db:5432/fleet", "postgres://ann@db:5432/fleet"),
            ("postgresql://db/fleet?password=secret", "postgresql://db/fleet"),
            ("postgres://ann@db/fleet", "postgres://ann@db/fleet"),
        ] {
            let place = Place::parse(Path::new(url));
            assert_eq!(place.to_string(), shown);
            assert_eq!(format!("{place:?}"), shown);
        }
        assert_eq!(Place::parse(Path::new("a.db")), Place::File("a.db".into()));
    }
}
