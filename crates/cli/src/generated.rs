//! What is made of the command line's own description: completions for shells and man pages.

use std::{fs, io::Write, path::Path};

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use crate::{
    arguments::{Arguments, Completions, ManPages},
    exit, say,
};

pub(crate) fn completions(arguments: &Completions) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut Arguments::command(), "proofmark", &mut script);
    let mut script = String::from_utf8(script).context("the script is no text")?;
    if arguments.servers {
        match arguments.shell {
            Shell::Bash => script.push_str(include_str!("../completions/servers.bash")),
            Shell::Fish => script.push_str(include_str!("../completions/servers.fish")),
            Shell::Zsh => {
                // The last lines call the function, so that it has to be changed before them.
                let end = script.find("if [ \"$funcstack[1]\"").unwrap_or(script.len());
                script.insert_str(end, include_str!("../completions/servers.zsh"));
            }
            other => {
                say::error(format_args!(
                    "--servers is for bash, fish and zsh, and not for {other}"
                ));
                return Ok(exit::USAGE);
            }
        }
    }
    say::report(script.trim_end());
    Ok(exit::SUCCESS)
}

/// A page for each command, `proofmark-check-server.1` and so on.
pub(crate) fn man_pages(arguments: &ManPages) -> anyhow::Result<u8> {
    let folder = &arguments.directory;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut command = Arguments::command();
    command.build();
    write_page(folder, &command, "proofmark")?;
    Ok(exit::SUCCESS)
}

fn write_page(folder: &Path, command: &Command, name: &str) -> anyhow::Result<()> {
    let mut page = Vec::new();
    let title = name.to_owned().leak() as &'static str;
    Man::new(command.clone().name(title).bin_name(name.replace('-', " "))).render(&mut page)?;
    let path = folder.join(format!("{name}.1"));
    let written = fs::File::create(&path).and_then(|mut file| file.write_all(&page));
    written.with_context(|| format!("cannot write {}", path.display()))?;
    let shown = |it: &&Command| !it.is_hide_set() && it.get_name() != "help";
    for inner in command.get_subcommands().filter(shown) {
        write_page(folder, inner, &format!("{name}-{}", inner.get_name()))?;
    }
    Ok(())
}
