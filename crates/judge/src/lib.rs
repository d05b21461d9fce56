//! Every requirement of the specification, how it is judged, and the mutants that prove it.

pub mod catalogue;
mod common;
mod harmless;
mod json_schema;
mod level;
pub mod mutant;
pub mod outcome;
mod pages;
pub mod requirement;
pub mod shapes;

pub use harmless::HARMLESS;
