//! Tests that no person has to write: arguments made from the schemas of tools, valid ones and wrong ones.
//!
//! ```text
//! schema -> Shape (normalised) -> candidates -> the independent validator -> Case -> Test
//! ```
//!
//! Candidates are guesses. A case is used only if the validator accepts it, or refuses it for the one keyword that it was made to break;
//! whatever else is discarded and counted.

mod cases;
pub mod corpus;
mod faults;
mod pattern;
mod plan;
mod properties;
mod shape;
mod shrink;
mod strings;
mod trial;
mod values;
mod write;

#[cfg(test)]
mod tests;

pub use cases::{Case, CaseKind, Cases, Limits, cases};
pub use plan::{Plan, Planned, Policy, plan, tools_of};
pub use properties::{Observation, properties};
pub use shrink::shrink;
pub use write::{Regenerated, regenerate};
