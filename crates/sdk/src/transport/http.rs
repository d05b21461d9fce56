//! Streamable HTTP, and beside it the older HTTP+SSE.
//!
//! [`McpService`] is a `tower` service for one endpoint: mount it in axum, in hyper, or let [`serve_http`] do all of it; [`HttpApp`] is the service that also has
//! the paths beside the endpoint. The answer
//! to a request is one JSON body; it becomes an event stream when there is something to say before the answer. Handlers run inside the request that they belong to. Only where a client goes away and its revision says that this cancels
//! nothing do they move to a task of their own.

mod app;
mod background;
mod bearer;
mod events;
mod get;
mod guard;
mod holders;
mod http_sse;
mod large;
mod load;
mod pages;
mod post;
mod relay;
mod responder;
mod response;
mod serve;
mod service;
mod sessions;
mod settings;
mod shared;
mod stall;

pub use self::{
    app::HttpApp,
    bearer::Bearer,
    response::HttpBody,
    serve::{HttpServer, ServeError, serve_http},
    service::McpService,
    settings::{HttpSettings, SharedStores, Unkept},
};
