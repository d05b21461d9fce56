//! What is made for others, in their hands: reports, the book, packages.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::process::{self, Process};
use super::{Place, Setting, install};

#[derive(Clone, Copy)]
pub(super) enum Made {
    /// Built, with all links followed.
    Book,
    /// Each installed from its file, where it checks a server.
    Packages,
    /// Judged by what reads them.
    Reports,
}

impl Made {
    pub(super) fn run(self, name: &str, setting: &Setting) -> Result<String, String> {
        let place = &setting.place;
        let mut command = match self {
            Self::Book => book(place)?,
            Self::Packages => {
                let mut command = Command::new("bash");
                command.arg(place.root.join("packaging/try.sh")).arg(&setting.program);
                command
            }
            Self::Reports => reports(name, setting)?,
        };
        let log = place.logs.join(format!("{name}.log"));
        let status = Process::start(&mut command, &log)?.finish(LIMIT)?;
        let said = process::read(&log);
        let last = said.trim_end().lines().next_back().unwrap_or_default().to_owned();
        if status.success() { Ok(last) } else { Err(said.trim_end().to_owned()) }
    }
}

/// Builds the book; gives the command that follows its links.
fn book(place: &Place) -> Result<Command, String> {
    let source = place.root.join("interop/book");
    let python = install::environment(place, "venv-book", &source.join("requirements.txt"))?;
    let built = place.installed.join("book");
    let mut mdbook = Command::new(python.with_file_name("mdbook"));
    mdbook.arg("build").arg(place.root.join("docs")).arg("--dest-dir").arg(&built);
    process::complete(&mut mdbook, &place.logs.join("mdbook.log"), LIMIT)?;
    let mut follow = Command::new(python);
    follow.arg("-B").arg(source.join("links.py")).arg(built);
    Ok(follow)
}

fn reports(name: &str, setting: &Setting) -> Result<Command, String> {
    let place = &setting.place;
    let source = place.root.join("interop/reports");
    let python = install::environment(place, "venv-reports", &source.join("requirements.txt"))?;
    let modules = install::packages(place, "reports")?.join("node_modules");
    let sdist = download(place, &python)?;
    let mut judge = Command::new(python);
    judge.arg("-B").arg(source.join("judge.py")).arg(&setting.program);
    judge.arg(place.logs.join(format!("{name}-files"))).arg(sdist).arg(modules);
    Ok(judge)
}

/// The package whose source distribution has the schema of Jenkins' plugin.
fn download(place: &Place, python: &Path) -> Result<PathBuf, String> {
    let folder = place.installed.join("pytest");
    let package = folder.join(format!("{PYTEST}.tar.gz"));
    if !package.exists() {
        let mut pip = Command::new(python);
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "-d"]);
        pip.arg(&folder).arg(PYTEST.replace('-', "=="));
        process::complete(&mut pip, &place.logs.join("pip-pytest.log"), LIMIT)?;
    }
    Ok(package)
}

const PYTEST: &str = "pytest-8.4.2";
const LIMIT: Duration = Duration::from_secs(600);
