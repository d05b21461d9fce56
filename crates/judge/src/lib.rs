//! Every requirement of the specification, how it is judged, and the mutants that prove it.

pub mod catalogue;
pub mod checks;
mod harmless;
mod json_schema;
pub mod mutant;
pub mod outcome;

pub use harmless::HARMLESS;
