//! Servers that are made of others.

use super::{Entries, ServerBuilder};

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

    /// Adds entries as they are.
    pub(in crate::server) fn extend(&mut self, entries: Entries) {
        self.tools.extend(entries.tools);
        self.prompts.extend(entries.prompts);
        self.resources.extend(entries.resources);
        self.templates.extend(entries.templates);
    }
}
