//! What happens to a server when clients, networks and handlers misbehave, over every transport.

mod cancelling;
mod common;
mod conversations;
mod cuts;
mod ends;
mod floods;
mod guards;
mod limits;
mod lines;
mod notices;
mod resuming;
mod statuses;
