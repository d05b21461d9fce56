//! Compares the table of the shapes of messages with the official schemas.

use std::path::Path;
use std::process::Command;

/// Asks the crate that has the table, and gives the closing line.
pub(crate) fn run(folder: &str, root: &Path) -> Result<String, String> {
    // The folder is named from where the chore was started, the example is found from the repository.
    let folder =
        std::path::absolute(folder).map_err(|error| format!("could not find {folder}: {error}"))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "-p", "proofmark-judge", "--example", "shapes", "--"])
        .arg(&folder)
        .current_dir(root)
        .status()
        .map_err(|error| format!("could not start cargo: {error}"))?;
    if status.success() {
        Ok(format!("shapes: the table says what the schemas in {} say", folder.display()))
    } else {
        Err(format!("shapes: the table and the schemas in {} differ", folder.display()))
    }
}
