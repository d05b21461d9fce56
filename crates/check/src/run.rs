//! One run against one peer: the plan, the conversations, the judgement.

mod all;
mod authorization_server;
mod client;
mod server;

pub use all::{check_all, check_client_all};
pub use authorization_server::{binds_issuers, check_authorization};
pub use client::check_client;
pub(crate) use client::{ServerSelection, check_mutated, host_again};
pub use server::check;
pub(crate) use server::hold_scenario;

use crate::report::Unreachable;

/// How much longer is waited in conversations that are held again.
const MORE_TIME: u32 = 2;
const MORE_QUIET: u32 = 4;
/// Processes of the peer that run side by side.
const MOST_PROCESSES: usize = 3;
