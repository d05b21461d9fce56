//! Servers that are made of others.

use proofmark_core::types::ServerCapabilities;

use super::ServerBuilder;
use crate::server::Proxy;

impl ServerBuilder {
    /// Takes in all that another server was given: its tools and prompts under names that begin with `prefix_`, its resources, templates and
    /// skills under their own URIs, and its states.
    ///
    /// The rest of it, such as limits, keys, layers and completion of everything at once, is this server's own. Where both have
    /// a state of one type, or something of one name, the server is not built.
    ///
    /// ```
    /// use proofmark_sdk::server::Server;
    ///
    /// let notes = Server::builder("notes", "1.0.0").tool("add", "Adds a note", async || "added");
    /// let server = Server::builder("office", "1.0.0").mount("notes", notes).build(); // has `notes_add`
    /// # assert!(server.is_ok());
    /// ```
    pub fn mount(mut self, prefix: &str, other: Self) -> Self {
        let named = |name: &str| format!("{prefix}_{name}");
        self.tools.extend(other.tools.into_iter().map(|mut entry| {
            entry.tool.name = named(&entry.tool.name);
            entry
        }));
        self.prompts.extend(other.prompts.into_iter().map(|mut entry| {
            entry.prompt.name = named(&entry.prompt.name);
            entry
        }));
        self.resources.extend(other.resources);
        self.templates.extend(other.templates);
        self.skills.extend(other.skills);
        self.not_a_form = self.not_a_form.or(other.not_a_form);
        if let Some(state) = self.states.extend(other.states) {
            self.state_taken.get_or_insert_with(|| (named("*"), state));
        }
        self
    }

    /// Takes in all that a server elsewhere offers: its tools and prompts under names that begin with `prefix_`, or under their own if the
    /// prefix is empty, its resources and templates under their own URIs.
    ///
    /// Clients of every revision can use it, whatever the other server speaks. Progress, log messages, cancellation, completion, news of
    /// resources, lists that change and tasks are carried over, and so are questions: in 2026-07-28 a call to a server that asks while it
    /// works stays open until the client comes back with the answer. [`Proxy`] says what cannot be carried over.
    ///
    /// ```no_run
    /// use proofmark_sdk::{client::ServerCommand, server::{Proxy, Server}};
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("gateway", "1.0.0")
    ///     .proxy("files", Proxy::connect(ServerCommand::new("file-server")).await?)
    ///     .proxy("search", Proxy::connect("https://search.example/mcp").await?)
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn proxy(mut self, prefix: &str, mut proxy: Proxy) -> Self {
        let entries = proxy.entries(prefix);
        self.tools.extend(entries.tools);
        self.prompts.extend(entries.prompts);
        self.resources.extend(entries.resources);
        self.templates.extend(entries.templates);
        self.proxies.push((prefix.to_owned(), proxy));
        self
    }

    /// Whether one of the servers elsewhere offers something, even if there is none of it now.
    pub(super) fn relays(&self, offers: impl Fn(&ServerCapabilities) -> bool) -> bool {
        self.proxies
            .iter()
            .any(|(_, proxy)| proxy.offered().is_some_and(|offered| offers(&offered)))
    }
}
