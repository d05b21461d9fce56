//! The steps to a server that is started.

use std::{
    env,
    path::{Path, PathBuf},
    time::Instant,
};

use super::{Examination, shortened, talk};
use crate::{
    server::ServerEntry,
    timeline::{Direction, Kind},
};

pub(super) async fn examine(
    entry: &ServerEntry,
    words: &[String],
    folder: Option<&Path>,
    found: &mut Examination,
) {
    let began = Instant::now();
    let Some(program) = words.first() else {
        return found.fail(FOUND, began, "the command is empty", "name a program");
    };
    match locate(program, folder) {
        Some(path) => found.pass(FOUND, began, path.display().to_string()),
        None if program.contains(std::path::MAIN_SEPARATOR) => {
            return found.fail(
                FOUND,
                began,
                format!("there is no file {program}"),
                "look at the path; a relative one begins in the working directory",
            );
        }
        None => {
            return found.fail(
                FOUND,
                began,
                format!("no folder of PATH has a program {program}"),
                "install it, or give its whole path; programs that a shell's settings add to PATH are not found from elsewhere",
            );
        }
    }
    let began = Instant::now();
    let talked = talk(entry).await;
    let stderr =
        talked.stderr().map(|it| format!("; it wrote to standard error: {it}")).unwrap_or_default();
    if talked.first(|it| it.kind == Kind::State && it.direction == Direction::None).is_none() {
        let why = talked.outcome.err().unwrap_or_default();
        return found.fail(
            "the process starts",
            began,
            why,
            "look at the file's permissions and at the interpreter in its first line",
        );
    }
    found.pass("the process starts", began, "it runs");
    let Some(first) = talked.first_said() else {
        let why = talked.outcome.err().unwrap_or_default();
        return found.fail(
            "it says something",
            began,
            format!("nothing came on standard output: {why}{stderr}"),
            "a server answers `initialize` on standard output; look whether it waits for a setting, listens on a port instead, or ended with an error",
        );
    };
    found.pass("it says something", began, format!("{} bytes", first.size));
    if first.kind == Kind::Odd {
        return found.fail(
            "what it says are messages",
            began,
            format!("the first line is {:?}{stderr}", shortened(&first.text)),
            "standard output is for messages alone, one JSON object a line; banners and logs belong on standard error",
        );
    }
    if let Some(odd) = talked.first(|it| it.kind == Kind::Odd && it.direction == Direction::In) {
        found.warn(
            "what it says are messages",
            began,
            format!("among them is {:?}", shortened(&odd.text)),
            "logs belong on standard error",
        );
    } else {
        found.pass("what it says are messages", began, "each line is one");
    }
    match talked.outcome {
        Ok(server) => found.pass("the handshake", began, server),
        Err(why) => found.fail(
            "the handshake",
            began,
            format!("{why}{stderr}"),
            "`proofmark check server` says which requirement is broken",
        ),
    }
}

/// Where the system finds a program.
fn locate(program: &str, folder: Option<&Path>) -> Option<PathBuf> {
    let is_path = Path::new(program).components().count() > 1;
    if is_path {
        let path = folder.map_or_else(|| PathBuf::from(program), |folder| folder.join(program));
        return path.is_file().then_some(path);
    }
    let folders: Vec<PathBuf> =
        env::var_os("PATH").map(|it| env::split_paths(&it).collect()).unwrap_or_default();
    let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat"] } else { &[""] };
    let mut places = folders
        .iter()
        .flat_map(|it| endings.iter().map(move |ending| it.join(format!("{program}{ending}"))));
    places.find(|path| path.is_file())
}

const FOUND: &str = "the command is found";
