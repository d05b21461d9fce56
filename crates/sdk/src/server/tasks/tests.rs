//! Tasks as a client sees them.

mod asking;
mod becoming;
mod client;
mod ending;
mod extension;
mod races;
mod rules;
mod tools;
