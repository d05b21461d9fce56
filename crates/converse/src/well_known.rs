//! Values by which something in a conversation is recognized later.

use serde_json::{Value, json};

/// A version that no revision ever had.
pub const NONSENSE_VERSION: &str = "1999-01-01";
/// An id that the requestor of a task has no right to choose.
pub const OWN_TASK: &str = "proofmark-own-task";

/// Ids that are allowed and that programs tend to change: numbers at the edges, and strings that look like something else.
pub fn odd_ids() -> Vec<Value> {
    vec![
        json!(0),
        json!(-1),
        json!(MOST_EXACT),
        json!(-MOST_EXACT),
        json!(2_147_483_648_i64),
        json!(NUMBER_LIKE),
        json!("0x1F"),
        json!("null"),
        json!("true"),
        json!(""),
        json!(" padded "),
        json!("\u{e9}\u{4e16}\u{1f600}"),
        json!("\"quoted\" \\ / \n\t\u{7f}"),
        json!("long ".repeat(60)),
    ]
}

/// Progress tokens that are allowed and that programs tend to change.
pub fn odd_tokens() -> Vec<Value> {
    vec![
        json!(NUMBER_LIKE),
        json!(0),
        json!(""),
        json!(-1),
        json!(MOST_EXACT),
        json!("\u{1f600} \""),
    ]
}

/// An id that is a string and reads like a number.
pub const NUMBER_LIKE: &str = "4711";
/// 2^53 - 1: the largest integer that every reader of JSON keeps apart from its neighbours.
const MOST_EXACT: i64 = 9_007_199_254_740_991;
