//! Fits what is sent to the revision of whoever reads it.
//!
//! Types are supersets of all revisions. Before anything is written, what the reader's revision does not know is taken out here, or put in
//! a form that it does know. This is the only place that does so.

use crate::{
    revision::Rules,
    types::{Implementation, ServerNotification, ServerRequest, ServerResult},
};

/// Takes out, or says in another way, what a revision does not know.
pub trait Fit {
    fn fit(&mut self, rules: &Rules);
}

impl Fit for ServerResult {
    fn fit(&mut self, _rules: &Rules) {}
}

impl Fit for ServerRequest {
    fn fit(&mut self, _rules: &Rules) {}
}

impl Fit for ServerNotification {
    fn fit(&mut self, _rules: &Rules) {}
}

impl Fit for Implementation {
    fn fit(&mut self, _rules: &Rules) {}
}
