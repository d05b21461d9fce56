//! Decide whether a peer keeps the specification, and prove that the decision can go either way.
//!
//! ```text
//! plan -> scenario converses through a probe -> Evidence -> judge(&Evidence) -> Outcome -> Report -> reporters
//! ```
//!
//! The layers below: `proofmark-record` (the wire, and what is written down), `proofmark-converse` (conversations, which assert nothing)
//! and `proofmark-judge` (requirements, how each is judged, and mutants). This crate plans a run, holds its conversations, and reports.

mod doubt;
pub mod live;
mod options;
pub mod overheard;
mod progress;
pub mod report;
mod run;
pub mod self_test;

pub use {proofmark_converse as converse, proofmark_judge as judge, proofmark_record as record};

pub use options::{Options, Profile, Target};
pub use progress::{Progress, Step};
pub use report::Unreachable;
pub use run::{
    binds_issuers, check, check_all, check_authorization, check_client, check_client_all,
};
