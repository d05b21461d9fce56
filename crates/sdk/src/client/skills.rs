//! Skills, and files of theirs that are what was approved.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_util::Stream;
use proofmark_core::{
    json::Raw,
    revision::RequestMethod,
    types::{
        GetSkillParams, GetSkillResult, ListSkillsResult, ReadDirectoryParams, ReadDirectoryResult,
        ResourceContents, Skill, SkillResources,
    },
};
use serde_json::Value;

use super::{Client, Error, methods::page, request::Request};
use crate::server::{digest_of, frontmatter_of};

impl Client {
    /// One page of the skills. Nothing of them is read by that.
    pub fn list_skills(&self, cursor: Option<&str>) -> Request<'_, ListSkillsResult> {
        Request::new(self, RequestMethod::SkillsList, &page(cursor))
    }

    /// All skills, page after page as the stream is read.
    pub fn skills(&self) -> impl Stream<Item = Result<Skill, Error>> + Send + '_ {
        self.pages(move |cursor| {
            Box::pin(async move {
                let page = self.list_skills(cursor.as_deref()).await?;
                Ok((page.skills, page.next_cursor))
            })
        })
    }

    /// The skill whose `SKILL.md` has this URI.
    pub fn get_skill(&self, uri: &str) -> Request<'_, GetSkillResult> {
        let params = GetSkillParams { uri: uri.into(), meta: None };
        Request::new(self, RequestMethod::SkillsGet, &params)
    }

    /// One page of what lies directly in a folder.
    pub fn read_directory(
        &self,
        uri: &str,
        cursor: Option<&str>,
    ) -> Request<'_, ReadDirectoryResult> {
        let params =
            ReadDirectoryParams { uri: uri.into(), cursor: cursor.map(Into::into), meta: None };
        Request::new(self, RequestMethod::ResourcesDirectoryRead, &params)
    }

    /// Reads a file of a skill, and gives it only if it is the one that the skill lists: of its size and its digest. A `SKILL.md` must also
    /// say of itself what the skill says of it.
    pub async fn read_skill_file(&self, skill: &Skill, uri: &str) -> Result<Vec<u8>, Error> {
        let refused = |why: &str| Error::SkillRefused { uri: uri.to_owned(), why: why.to_owned() };
        if let SkillResources::Listed(files) = &skill.resources
            && !files.iter().any(|file| file.uri == uri)
        {
            return Err(refused("the skill has no such file"));
        }
        let read = self.read_resource(uri).await?;
        let contents = read.contents.iter().find(|contents| contents.uri() == uri);
        let bytes = match contents {
            Some(ResourceContents::Text(contents)) => contents.text.clone().into_bytes(),
            Some(ResourceContents::Blob(contents)) => {
                STANDARD.decode(&contents.blob).map_err(|_| refused("it is not base64"))?
            }
            None => return Err(refused("the server sent something else")),
        };
        verify(skill, uri, &bytes).map_err(refused)?;
        Ok(bytes)
    }
}

fn verify(skill: &Skill, uri: &str, bytes: &[u8]) -> Result<(), &'static str> {
    if let SkillResources::Listed(files) = &skill.resources {
        let file = files.iter().find(|file| file.uri == uri).ok_or("the skill has no such file")?;
        if file.size != bytes.len() as u64 {
            return Err("its size is another than the skill lists");
        }
        if file.digest != digest_of(bytes) {
            return Err("its digest is another than the skill lists");
        }
    }
    if uri != skill.uri {
        return Ok(());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not text")?;
    let own = frontmatter_of(text).map_err(|_| "its front matter cannot be read")?;
    let same = own.len() == skill.frontmatter.len()
        && own.iter().all(|(key, value)| {
            skill.frontmatter.get(key).is_some_and(|listed| same(listed, value))
        });
    if same { Ok(()) } else { Err("it says something else of itself than the skill does") }
}

/// Whether two texts are the same JSON.
fn same(one: &Raw, other: &Raw) -> bool {
    match (one.decode(), other.decode()) {
        (Ok(one), Ok(other)) => same_value(&one, &other),
        _ => false,
    }
}

/// Numbers are the same in every spelling: of a `1.0` in YAML, many a server makes a `1` in JSON.
fn same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64().is_some_and(|one| other.as_f64() == Some(one))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, a)| other.get(key).is_some_and(|b| same_value(a, b)))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URI: &str = "skill://a/SKILL.md";
    const TEXT: &str = "---\nname: a\ndescription: does a thing\n---\nbody\n";

    fn skill(text: &str) -> Skill {
        serde_json::from_value(serde_json::json!({
            "uri": URI,
            "frontmatter": {"description": "does a thing", "name": "a"},
            "resources": [{"uri": URI, "digest": digest_of(text.as_bytes()), "size": text.len()}],
        }))
        .unwrap()
    }

    #[test]
    fn a_file_is_the_one_that_was_listed_or_is_not_given() {
        assert_eq!(verify(&skill(TEXT), URI, TEXT.as_bytes()), Ok(()));
        let other = TEXT.replace("body", "evil");
        let refused = verify(&skill(TEXT), URI, other.as_bytes());
        assert_eq!(refused, Err("its digest is another than the skill lists"));
        let longer = format!("{TEXT}more");
        let refused = verify(&skill(TEXT), URI, longer.as_bytes());
        assert_eq!(refused, Err("its size is another than the skill lists"));
    }

    #[test]
    fn a_skill_says_of_itself_what_is_said_of_it() {
        for changed in [
            TEXT.replace("does a thing", "steals"),
            TEXT.replace("\nbody", "\n\nbody").replace("name: a", "name: a\nextra: 1"),
        ] {
            let refused = verify(&skill(&changed), URI, changed.as_bytes());
            assert_eq!(refused, Err("it says something else of itself than the skill does"));
        }
        let weighed = TEXT.replace("name: a", "name: a\nmetadata:\n  weights: [1.0, 2]");
        for (weights, expected) in [("[1,2.0]", true), ("[1,3]", false), ("[1]", false)] {
            let mut listed = skill(&weighed);
            let metadata = Raw::from_json(format!(r#"{{"weights":{weights}}}"#)).unwrap();
            listed.frontmatter.insert("metadata".into(), metadata);
            assert_eq!(verify(&listed, URI, weighed.as_bytes()).is_ok(), expected, "{weights}");
        }
        let nothing = verify(&skill("no front matter"), URI, b"no front matter");
        assert_eq!(nothing, Err("its front matter cannot be read"));
    }
}
