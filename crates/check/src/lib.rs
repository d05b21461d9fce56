//! Decide whether a peer keeps the specification, and prove that the decision can go either way.
//!
//! ```text
//! plan -> scenario converses through a probe -> Evidence -> judge(&Evidence) -> Outcome -> Report -> reporters
//! ```
//!
//! The checker has its own [`wire`]: it can say anything, and forgets nothing. A [`scenario`] talks and asserts nothing; a judge
//! ([`checks`]) looks at what was recorded and awaits nothing, so that a recorded run can be judged again. Each requirement is a literal in
//! the [`catalogue`], and whatever is observed has mutants ([`mutant`]): the reference server spoiled in one way, to show that the check can
//! fail.

pub mod catalogue;
pub mod checks;
pub mod evidence;
pub mod hosted;
mod json_schema;
pub mod mutant;
pub mod oauth;
pub mod outcome;
pub mod overheard;
pub mod report;
mod run;
mod sanitise;
pub mod scenario;
pub mod self_test;
pub mod tap;
pub mod transcript;
pub mod wire;

pub use run::{
    Connect, IssuerPeer, Options, Peer, Profile, Progress, Serving, Step, Target, Unreachable,
    binds_issuers, check, check_authorization, check_client,
};
