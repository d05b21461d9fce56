//! The person's own browser.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{process::Command, time::timeout};
use url::Url;

use super::{CallbackError, UserAgent, Visit, loopback::Loopback};
use crate::BoxFuture;

/// Opens pages in the machine's browser and hears of responses on a port of this machine.
///
/// No shell is involved.
#[derive(Clone)]
pub struct Browser {
    patience: Duration,
    /// Opens the page whose address is added to its arguments; `None` for the machine's usual one.
    program: Option<Vec<String>>,
    show: Option<Arc<Show>>,
}

type Show = dyn Fn(&Url) + Send + Sync;

impl Browser {
    /// How long a person may take.
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Opens pages with this program; the page's address is added to the arguments.
    pub fn program<W: Into<String>>(self, words: impl IntoIterator<Item = W>) -> Self {
        Self { program: Some(words.into_iter().map(Into::into).collect()), ..self }
    }

    /// Also shows the address, for people whose browser is elsewhere. It is not written to any log.
    pub fn show(self, show: impl Fn(&Url) + Send + Sync + 'static) -> Self {
        Self { show: Some(Arc::new(show)), ..self }
    }
}

impl Default for Browser {
    fn default() -> Self {
        Self { patience: Duration::from_secs(300), program: None, show: None }
    }
}

impl fmt::Debug for Browser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Browser").field("patience", &self.patience).finish_non_exhaustive()
    }
}

impl UserAgent for Browser {
    fn prepare(
        &self,
        preferred: Option<Url>,
    ) -> BoxFuture<'_, Result<Box<dyn Visit>, CallbackError>> {
        Box::pin(async move {
            let loopback = Loopback::bind(preferred.as_ref()).await?;
            Ok(Box::new(Trip { loopback, browser: self.clone() }) as Box<dyn Visit>)
        })
    }
}

struct Trip {
    loopback: Loopback,
    browser: Browser,
}

impl Visit for Trip {
    fn redirect(&self) -> &Url {
        self.loopback.redirect()
    }

    fn visit(self: Box<Self>, url: Url) -> BoxFuture<'static, Result<String, CallbackError>> {
        Box::pin(async move {
            let Self { loopback, browser } = *self;
            let state = url.query_pairs().find(|(name, _)| name == "state");
            let state = state.map(|(_, value)| value.into_owned()).unwrap_or_default();
            if let Some(show) = &browser.show {
                show(&url);
            }
            let mut opening = browser.command(&url);
            let opened = opening.spawn();
            if let Err(error) = &opened {
                tracing::warn!(%error, "no browser could be opened");
            }
            let answer = timeout(browser.patience, loopback.wait(&state)).await;
            // The opener is done long before the person is; one that is not is left to the system, as a browser would be.
            drop(opened);
            match answer {
                Ok(answer) => Ok(answer?),
                Err(_) => Err("nobody came back from the browser in time".into()),
            }
        })
    }
}

impl Browser {
    fn command(&self, url: &Url) -> Command {
        let usual: &[&str] = if cfg!(target_os = "macos") {
            &["open"]
        } else if cfg!(windows) {
            // Takes the address as it is; `start` would read it as a command.
            &["rundll32", "url.dll,FileProtocolHandler"]
        } else {
            &["xdg-open"]
        };
        let own = self.program.iter().flatten().map(String::as_str);
        let mut words = own.chain(usual.iter().copied().filter(|_| self.program.is_none()));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        command
            .arg(url.as_str())
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        command
    }
}

#[cfg(test)]
mod tests;
