//! Every object of the protocol, as one superset over all revisions.
//!
//! A struct has each field that any revision gives it. Fields that a revision does not know are simply absent when it is read, and are
//! taken out by the filter before it is written.

mod meta;

pub use meta::Meta;
