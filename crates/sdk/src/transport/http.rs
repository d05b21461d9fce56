//! Streamable HTTP, and beside it the older HTTP+SSE.
//!
//! [`McpService`] is a `tower` service for one endpoint: mount it in axum, in hyper, or let [`serve_http`] do all of it. Whoever answers
//! a request without a word before the answer sends one JSON body; the answer becomes an event stream when there is something to say
//! first. Handlers run inside the request that they belong to. Only where a client goes away and its revision says that this cancels
//! nothing do they move to a task of their own.

mod answer;
mod body;
mod drive;
mod exchange;
mod fitting;
mod get;
mod guard;
mod keeping;
mod load;
mod pages;
mod post;
mod runner;
mod serve;
mod service;
mod sessions;
mod settings;
mod shared;
mod sse;
mod stall;
mod stand;

pub use self::{
    body::HttpBody,
    serve::{HttpServer, ServeError, serve_http},
    service::McpService,
    settings::{HttpSettings, Unkept},
};
