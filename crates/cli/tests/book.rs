//! Blocks of the pages that are marked with `run` are run, line by line.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

#[test]
fn what_the_pages_show_works() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let folder = Path::new(env!("CARGO_BIN_EXE_proofmark")).parent().unwrap();
    let paths = env::join_paths(
        [folder.to_owned()].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap())),
    );
    let paths = paths.unwrap();
    let mut run = 0;
    for page in ["start.md", "install.md", "commands.md", "reports.md"] {
        let text = fs::read_to_string(docs.join(page)).unwrap();
        for block in text.split("```sh run\n").skip(1) {
            let (block, _) = block.split_once("```").unwrap();
            for line in block.lines() {
                let done = Command::new("sh")
                    .args(["-c", line])
                    .env("PATH", &paths)
                    .stdin(Stdio::null())
                    .output()
                    .unwrap();
                let complaints = String::from_utf8_lossy(&done.stderr);
                assert!(done.status.success(), "{page}: {line}\n{complaints}");
                assert!(!done.stdout.is_empty() || line.contains("subscribe"), "{page}: {line}");
                run += 1;
            }
        }
    }
    assert!(run > 15, "only {run} lines were run");
}
