//! The chores of this repository: `cargo xtask ci`.

fn main() {}
