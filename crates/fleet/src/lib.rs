//! Many servers: an inventory, runs, their history, stages and reports.
//!
//! ```text
//! fleet.yaml -> Fleet -> plan of ways -> a job in a process of its own -> Outcome -> Store -> comparisons, gates, reports
//! ```
//!
//! A **way** is a server in one revision over one transport. What a job finds out is written once, in one transaction, so that a run that
//! is killed goes on where it was.

pub mod compare;
pub mod edit;
pub mod gates;
pub mod import;
pub mod inventory;
pub mod job;
pub mod outcome;
pub mod platform;
pub mod report;
pub mod run;
pub mod selection;
pub mod stages;
pub mod store;
pub mod time;
