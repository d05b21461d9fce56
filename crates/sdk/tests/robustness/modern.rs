//! The modern era over HTTP: every request explains itself, and nothing is remembered.

mod headers;
mod hints;
mod listening;
mod rounds;
mod skills;
mod statuses;
mod streams;
