//! The modern era over HTTP: every request explains itself, and nothing is remembered.

mod headers;
mod hints;
mod listening;
mod refusals;
mod rounds;
mod skills;
mod states;
mod statuses;
mod streams;
