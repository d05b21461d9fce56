//! What a command that we start sees of our environment.

use proofmark_check::record::environment::Inherited;
use proofmark_sdk::client::Inherit;

use crate::say;

/// By the option, and says which variables are kept back.
pub(crate) fn inherited(all: bool) -> Inherited {
    let inherited = if all { Inherited::All } else { Inherited::WithoutSecrets };
    let withheld = inherited.withheld();
    if !withheld.is_empty() {
        say::on_stderr(format_args!(
            "note: not passed on to the command, because they look like credentials: {}. --env NAME passes one on, --inherit-env all",
            withheld.join(", ")
        ));
    }
    inherited
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
