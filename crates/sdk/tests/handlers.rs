//! What handlers take and return, and clients that test them in two lines.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

#[path = "handlers/clients.rs"]
mod clients;
#[path = "handlers/completing.rs"]
mod completing;
#[path = "handlers/converting.rs"]
mod converting;
#[path = "handlers/hiding.rs"]
mod hiding;
#[path = "handlers/layers.rs"]
mod layers;
#[path = "handlers/parameters.rs"]
mod parameters;
#[path = "handlers/proxying.rs"]
mod proxying;
#[path = "handlers/tracing.rs"]
mod tracing_fields;
