//! What a file is, as far as its name and its bytes tell.

/// The media type of a file.
pub(super) fn type_of(path: &str, content: &[u8]) -> &'static str {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let known = extension.and_then(|extension| {
        TYPES.iter().find(|(known, _)| *known == extension).map(|(_, media_type)| *media_type)
    });
    known.unwrap_or_else(|| match std::str::from_utf8(content) {
        Ok(_) => "text/plain",
        Err(_) => "application/octet-stream",
    })
}

/// What skills are made of.
const TYPES: &[(&str, &str)] = &[
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mjs", "text/javascript"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("py", "text/x-python"),
    ("sh", "text/x-shellscript"),
    ("svg", "image/svg+xml"),
    ("toml", "application/toml"),
    ("webp", "image/webp"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
    ("zip", "application/zip"),
];
