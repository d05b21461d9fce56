//! What a browser sees: pages on one guarded base.
//!
//! ```text
//! connection -> Guard (who may ask) -> session (who has opened the link) -> routes and files -> headers on every response
//! ```
//!
//! # How a page is added
//!
//! 1. Write a handler that gives a [`layout::Page`]; [`layout::Page::render`] puts it into the frame that all pages share. What is put into a
//!    template with `(value)` is escaped; nothing here takes markup from strings.
//!    (The macro `html!` wants `maud` among the crate's own dependencies.)
//! 2. Add it to an [`axum::Router`] under a path of its own, and give the router to [`Site::bind`]. Paths that change something are `POST`
//!    and take JSON: without the header [`guard::CHANGE_HEADER`], which the script module `post` of `/static/http.js` adds, they are refused before a
//!    handler sees them. A `GET` never changes anything.
//! 3. Scripts and styles are files: an [`Asset`] for each, by [`Settings::assets`], under `/static/`. The content security policy lets no inline
//!    script or style run, and no markup be made of strings. Modules import `/static/http.js`, `/static/dom.js` and `/static/keys.js`.
//!    Colours, spaces and sizes come from `/static/tokens.css`.
//! 4. A table is [`table::Table`], which becomes a list of cards on narrow screens. A chart is [`chart::line`] or [`chart::bars`]: SVG with a title, a
//!    text alternative and the figures behind a button.
//! 5. Live data: [`events::stream`] answers with server-sent events that are pulled from a source, so that a slow reader costs no memory.
//!
//! Tests use `browser::Browser` (feature `test-util`), which opens the link and keeps the cookie as a browser does.
//!
//! ```no_run
//! use axum::{Router, routing::get};
//! use maud::html;
//! use proofmark_web::{Settings, Site, layout::Page};
//!
//! # async fn example() -> Result<(), proofmark_web::SiteError> {
//! let hello = || async {
//!     let page = Page { title: "Hello", answer: "One page".into(), ..Page::default() };
//!     page.render(&html! { p { "It has a text." } })
//! };
//! let routes = Router::new().route("/", get(hello));
//! let site = Site::bind(routes, Settings::default()).await?;
//! println!("{}", site.link());
//! site.run().await;
//! # Ok(())
//! # }
//! ```

pub mod assets;
#[cfg(feature = "test-util")]
pub mod browser;
pub mod chart;
pub mod events;
pub mod guard;
pub mod layout;
mod random;
mod session;
mod site;
pub mod table;

pub use assets::Asset;
pub use axum;
pub use maud;
pub use session::Codes;
pub use site::{Access, Settings, Site, SiteError};
