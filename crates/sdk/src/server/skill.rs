//! Skills: folders of instructions for agents, each file of which is a resource.
//!
//! What is written about a skill, its front matter, is YAML. It is read with a real YAML parser, because clients read the same text with
//! theirs and refuse a skill about which the two disagree.

mod frontmatter;
mod media;
mod path;
mod ready;

use std::collections::BTreeMap;

use bytes::Bytes;
use proofmark_core::json::Raw;

use self::frontmatter::Frontmatter;
pub(crate) use self::ready::{ReadySkill, digest as digest_of};

/// A skill that is about to be served: the files of one folder, `SKILL.md` among them.
#[derive(Clone, Debug)]
pub struct Skill {
    frontmatter: Frontmatter,
    prefix: Vec<String>,
    /// By their path in the folder.
    files: BTreeMap<String, Bytes>,
}

/// Why files are not a skill.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkillError {
    #[error("`{path}` is there twice, or is a file and a folder")]
    Ambiguous { path: String },
    #[error("`{path}` is not the path of a file in a folder")]
    BadPath { path: String },
    #[error("`description` must have 1 to {} characters", frontmatter::MAX_DESCRIPTION)]
    Description,
    #[error("the front matter of SKILL.md: {0}")]
    Frontmatter(String),
    #[error("`{name}` is no name for a skill: lower-case letters, digits and single hyphens are")]
    Name { name: String },
    #[error("SKILL.md does not begin with front matter between lines of `---`")]
    NoFrontmatter,
    #[error("there is no SKILL.md")]
    NoSkill,
    #[error("`metadata` has the key `{key}`, which is reserved")]
    ReservedMetadata { key: String },
    #[error("more than {} files or {} bytes", Skill::MAX_FILES, Skill::MAX_BYTES)]
    TooLarge,
}

impl Skill {
    /// Files of one skill; every client can take as many.
    pub const MAX_FILES: usize = 512;
    /// Bytes of all files of one skill together; every client can take as many.
    pub const MAX_BYTES: usize = 16 * 1024 * 1024;

    /// A skill of these files, each with its path in the skill's folder: `SKILL.md`, `references/FORMS.md`.
    pub fn from_files<P, B>(files: impl IntoIterator<Item = (P, B)>) -> Result<Self, SkillError>
    where
        P: Into<String>,
        B: Into<Bytes>,
    {
        let mut kept = BTreeMap::new();
        let mut bytes = 0;
        for (name, content) in files {
            let (name, content) = (name.into(), content.into());
            if !path::is_relative(&name) {
                return Err(SkillError::BadPath { path: name });
            }
            bytes += content.len();
            if kept.len() == Self::MAX_FILES || bytes > Self::MAX_BYTES {
                return Err(SkillError::TooLarge);
            }
            if kept.insert(name.clone(), content).is_some() {
                return Err(SkillError::Ambiguous { path: name });
            }
        }
        if let Some(file) = path::file_and_folder(&kept) {
            return Err(SkillError::Ambiguous { path: file.to_owned() });
        }
        let text = kept.get(SKILL_FILE).ok_or(SkillError::NoSkill)?;
        let text = std::str::from_utf8(text).map_err(|_| SkillError::NoFrontmatter)?;
        Ok(Self { frontmatter: Frontmatter::read(text)?, prefix: Vec::new(), files: kept })
    }

    /// Puts the skill's folder into others: `acme/billing` makes it `skill://acme/billing/…`.
    pub fn under(mut self, prefix: &str) -> Result<Self, SkillError> {
        if !path::is_relative(prefix) {
            return Err(SkillError::BadPath { path: prefix.to_owned() });
        }
        self.prefix = prefix.split('/').map(str::to_owned).collect();
        Ok(self)
    }

    pub fn name(&self) -> &str {
        &self.frontmatter.name
    }

    /// All that `SKILL.md` says about the skill, as JSON.
    pub fn frontmatter(&self) -> &BTreeMap<String, Raw> {
        &self.frontmatter.members
    }
}

const SKILL_FILE: &str = "SKILL.md";

/// What the front matter of a `SKILL.md` says, if it is that of a skill.
pub(crate) fn frontmatter_of(text: &str) -> Result<BTreeMap<String, Raw>, SkillError> {
    Frontmatter::read(text).map(|frontmatter| frontmatter.members)
}

#[cfg(test)]
mod tests;
