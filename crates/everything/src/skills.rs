//! The skill: a folder with a folder in it.

use proofmark_sdk::server::{Skill, SkillError};

pub(crate) fn pdf_processing() -> Result<Skill, SkillError> {
    Skill::from_files([
        ("SKILL.md", include_str!("skills/SKILL.md")),
        ("references/FORMS.md", include_str!("skills/references/FORMS.md")),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_one() {
        assert_eq!(pdf_processing().unwrap().name(), "pdf-processing");
    }
}
