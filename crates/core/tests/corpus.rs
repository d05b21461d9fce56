//! Replays the seeds of the fuzz targets, so that what a fuzzer once found stays found without one.
//!
//! The targets themselves are in `fuzz/`, a workspace that needs a C++ compiler; their functions do not.

#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

#[path = "../../../fuzz/src/lib.rs"]
pub mod targets;

#[test]
fn admission_keeps_its_promises() {
    replay("admission", targets::admission::run);
}

#[test]
fn client_sessions_keep_their_promises() {
    replay("client_session", targets::client_session::run);
}

#[test]
fn lines_keep_their_promises() {
    replay("lines", targets::lines::run);
}

#[test]
fn messages_keep_their_promises() {
    replay("message", targets::message::run);
    replay_messages(targets::message::run);
}

#[test]
fn seals_keep_their_promises() {
    replay("seal", targets::seal::run);
}

#[test]
fn server_sessions_keep_their_promises() {
    replay("server_session", targets::server_session::run);
}

#[test]
fn event_streams_keep_their_promises() {
    replay("sse", targets::sse::run);
}

#[test]
fn types_keep_their_promises() {
    replay("types", targets::types::run);
    replay_messages(targets::types::run);
}

#[test]
fn uri_templates_keep_their_promises() {
    replay("uri_template", targets::uri_template::run);
}

#[track_caller]
fn replay(target: &str, run: fn(&[u8])) {
    replay_folder(&root().join("fuzz/seeds").join(target), run);
}

/// The messages of every revision are seeds too.
#[track_caller]
fn replay_messages(run: fn(&[u8])) {
    for entry in fs::read_dir(root().join("crates/core/tests/messages")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            replay_folder(&path, run);
        }
    }
}

#[track_caller]
fn replay_folder(folder: &Path, run: fn(&[u8])) {
    let mut broken = Vec::new();
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        seen += 1;
        if catch_unwind(AssertUnwindSafe(|| run(&bytes))).is_err() {
            broken.push(path);
        }
    }
    assert!(seen > 0, "{} is empty", folder.display());
    assert!(broken.is_empty(), "{broken:?}");
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
