//! What a command that we start sees of our environment.

use proofmark_check::record::environment::Inherited;
use proofmark_sdk::client::Inherit;

use crate::say;

pub(crate) fn inherited(all: bool) -> Inherited {
    if all { Inherited::All } else { Inherited::WithoutSecrets }
}

/// What may be missing where a command did not do what it should.
pub(crate) fn tell_what_is_withheld(all: bool) {
    let withheld = inherited(all).withheld();
    if !withheld.is_empty() {
        say::on_stderr(format_args!(
            "note: the command did not see what looks like credentials: {}. --env NAME passes one on, --inherit-env all",
            withheld.join(", ")
        ));
    }
}

/// The same for the client of the SDK.
pub(crate) fn inherit(all: bool) -> Inherit {
    match inherited(all) {
        Inherited::All => Inherit::All,
        Inherited::WithoutSecrets => {
            let names = Inherited::WithoutSecrets.variables();
            Inherit::Only(names.map(|(name, _)| name).collect())
        }
    }
}

/// `NAME=VALUE`, or `NAME` for a variable of our own.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    if let Some((name, value)) = text.split_once('=') {
        return Ok((name.to_owned(), value.to_owned()));
    }
    match std::env::var(text) {
        Ok(value) => Ok((text.to_owned(), value)),
        Err(_) => Err(format!("NAME=VALUE is wanted, and there is no variable {text} to pass on")),
    }
}
