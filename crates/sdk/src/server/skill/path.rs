//! Paths of files in a skill, and as parts of URIs.

use std::{collections::BTreeMap, fmt::Write};

/// Whether a path leads from a folder to something inside of it, in only one way.
pub(super) fn is_relative(path: &str) -> bool {
    let is_name = |segment: &str| {
        !matches!(segment, "" | "." | "..")
            && !segment.contains(|letter: char| letter == '\\' || letter.is_control())
    };
    path.split('/').all(is_name)
}

/// A file that would have to be a folder too, because another lies in it.
pub(super) fn file_and_folder<T>(files: &BTreeMap<String, T>) -> Option<&str> {
    let mut above = files.keys().flat_map(|path| folders(path));
    above.find(|folder| files.contains_key(*folder))
}

/// The folders that a file lies in, the outermost first; not the one that paths begin at.
pub(super) fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// A path as part of a URI: what may not be there is percent-encoded.
pub(super) fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            _ if byte.is_ascii_alphanumeric() || UNRESERVED.contains(&byte) => {
                out.push(byte.into());
            }
            _ => write!(out, "%{byte:02X}").expect("a string takes everything"),
        }
    }
    out
}

/// What stands for itself in the path of a URI, beside letters and digits. The colon is left out: not every parser likes it in a name.
const UNRESERVED: &[u8] = b"/-._~!$&'()*+,;=";
