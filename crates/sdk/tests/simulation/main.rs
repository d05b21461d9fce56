//! Three servers on one store, in one thread and in time that passes as fast as it can: every step to the store may be slow, get lost on the way
//! there or back, or be the last of its server, as the dice of a seed say. Clients look at what comes of it.
//!
//! `PROOFMARK_SEEDS=100000 cargo test --release -p proofmark-sdk --test simulation -- --nocapture` is the long one; `PROOFMARK_SEED=7
//! PROOFMARK_SEEDS=1` is the run of one seed again.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]
#![expect(clippy::print_stdout, reason = "a long run is told by its counts")]

mod client;
mod dice;
mod faulty;
mod server;
mod wire;
mod world;

use std::env;

use tokio::runtime;

use self::world::{Found, World};

#[test]
fn nothing_is_lost_or_doubled_whatever_happens_between_servers() {
    let (first, seeds) = (number("PROOFMARK_SEED", 1), number("PROOFMARK_SEEDS", 150));
    let mut all = Found::default();
    for seed in first..first + seeds {
        let found = run(seed);
        assert!(
            found.wrong.is_empty(),
            "seed {seed}: {:#?}\nagain: PROOFMARK_SEED={seed} PROOFMARK_SEEDS=1\n{:#?}",
            found.wrong,
            found.trace
        );
        all.add(&found);
    }
    println!("{seeds} seeds: {}", all.counts());
    if seeds >= 100 {
        // Otherwise it would show nothing.
        assert!(all.answered > all.failed, "{}", all.counts());
        assert!(all.crashes > 0 && all.cuts > 0 && all.lost > 0 && all.resumed > 0);
    }
}

#[test]
fn a_seed_is_the_same_run_every_time() {
    for seed in 1..=10 {
        assert_eq!(run(seed).trace, run(seed).trace, "seed {seed}");
    }
}

fn run(seed: u64) -> Found {
    // The first look at the clock is in real time, which no later run is before.
    server::idle();
    let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap();
    let found = runtime.block_on(World::run(seed));
    runtime.shutdown_background();
    found
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(default)
}
