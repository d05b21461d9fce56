//! A skill with every answer about it worked out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use proofmark_core::types::{
    DIRECTORY_TYPE, Resource, ResourceContents, Skill as Entry, SkillResource, SkillResources,
};
use sha2::{Digest, Sha256};

use super::{SKILL_FILE, Skill, media, path};
use crate::server::resource::{ResourceEntry, resource};

/// A skill that can be listed, read and looked through.
pub(crate) struct ReadySkill {
    pub(crate) entry: Entry,
    /// Its `SKILL.md`, as it is listed among the resources.
    pub(crate) listed: ResourceEntry,
    /// The URI of its folder.
    root: String,
    contents: BTreeMap<String, ResourceContents>,
    folders: BTreeMap<String, Folder>,
}

/// What lies directly in a folder, in the order of the URIs.
#[derive(Default)]
pub(crate) struct Folder {
    pub(crate) keys: Vec<String>,
    pub(crate) resources: Vec<Resource>,
}

impl Skill {
    pub(crate) fn ready(self) -> ReadySkill {
        let mut root = SCHEME.to_owned();
        for segment in self.prefix.iter().chain([&self.frontmatter.name]) {
            if root.len() > SCHEME.len() {
                root.push('/');
            }
            root.push_str(&path::encode(segment));
        }
        let uri_of = |path: &str| format!("{root}/{}", path::encode(path));
        let mut children: BTreeMap<String, BTreeMap<String, Resource>> = BTreeMap::new();
        children.insert(root.clone(), BTreeMap::new());
        let mut contents = BTreeMap::new();
        let mut files = Vec::with_capacity(self.files.len());
        for (path, bytes) in &self.files {
            let uri = uri_of(path);
            let media_type = media::type_of(path, bytes);
            let file = Resource {
                mime_type: Some(media_type.to_owned()),
                size: Some(bytes.len() as u64),
                ..Resource::new(uri.clone(), last_segment(path))
            };
            let mut parent = root.clone();
            for folder in path::folders(path) {
                let uri = uri_of(folder);
                let inner = Resource {
                    mime_type: Some(DIRECTORY_TYPE.to_owned()),
                    ..Resource::new(uri.clone(), last_segment(folder))
                };
                children.entry(parent).or_default().insert(uri.clone(), inner);
                parent = uri;
            }
            children.entry(parent).or_default().insert(uri.clone(), file);
            files.push(SkillResource {
                uri: uri.clone(),
                digest: digest(bytes),
                size: bytes.len() as u64,
            });
            let content = match std::str::from_utf8(bytes) {
                Ok(text) => ResourceContents::text(uri.clone(), Some(media_type.into()), text),
                Err(_) => ResourceContents::blob(
                    uri.clone(),
                    Some(media_type.into()),
                    STANDARD.encode(bytes),
                ),
            };
            contents.insert(uri, content);
        }
        let uri = uri_of(SKILL_FILE);
        let folders = children.into_iter().map(|(uri, children)| (uri, children.into()));
        ReadySkill {
            listed: resource(uri.clone(), self.frontmatter.name)
                .description(self.frontmatter.description)
                .mime_type(media::type_of(SKILL_FILE, b""))
                .size(self.files.get(SKILL_FILE).map_or(0, |bytes| bytes.len() as u64))
                .contents(contents.get(&uri).cloned().into_iter().collect()),
            entry: Entry {
                uri,
                frontmatter: self.frontmatter.members,
                resources: SkillResources::Listed(files),
            },
            root,
            contents,
            folders: folders.collect(),
        }
    }
}

impl ReadySkill {
    /// The content of one of its files.
    pub(crate) fn content(&self, uri: &str) -> Option<&ResourceContents> {
        self.contents.get(uri)
    }

    pub(crate) fn folder(&self, uri: &str) -> Option<&Folder> {
        self.folders.get(uri)
    }

    /// Whether both can be served at once: where one lies in the other, both must tell the same about the files they share.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        let inside = |root: &str, other: &str| {
            other.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let (outer, inner) = if inside(&self.root, &other.root) {
            (self, other)
        } else if inside(&other.root, &self.root) {
            (other, self)
        } else {
            return true;
        };
        let shared = |skill: &Self| -> BTreeSet<(String, String)> {
            let SkillResources::Listed(files) = &skill.entry.resources else {
                return BTreeSet::new();
            };
            let files = files.iter().filter(|file| inside(&inner.root, &file.uri));
            files.map(|file| (file.uri.clone(), file.digest.clone())).collect()
        };
        outer.root != inner.root && shared(outer) == shared(inner)
    }
}

impl From<BTreeMap<String, Resource>> for Folder {
    fn from(children: BTreeMap<String, Resource>) -> Self {
        let (keys, resources) = children.into_iter().unzip();
        Self { keys, resources }
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut out = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        write!(out, "{byte:02x}").expect("a string takes everything");
    }
    out
}

const SCHEME: &str = "skill://";
