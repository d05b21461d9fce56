//! A client and a server over a simulated link: real framing, real parsing, simulated time, no socket.

#[path = "pair/asking.rs"]
mod asking;
#[path = "pair/calls.rs"]
mod calls;
#[path = "pair/eras.rs"]
mod eras;
#[path = "pair/link.rs"]
mod link;
#[path = "pair/random.rs"]
mod random;
#[path = "pair/script.rs"]
mod script;
#[path = "pair/subscriptions.rs"]
mod subscriptions;
