//! What servers list besides tools: prompts and resources.

use super::Fit;
use crate::{
    revision::{Fields, Rules},
    types::{Annotations, Icon, Meta, Prompt, PromptArgument, Resource, ResourceTemplate},
};

impl Fit for Prompt {
    fn fit(&mut self, rules: &Rules) {
        let Self { title, icons, meta, .. } = self;
        fields(rules.prompts.fields, title, icons, meta);
        super::fit_all(self.arguments.as_deref_mut().unwrap_or_default(), rules);
    }
}

impl Fit for PromptArgument {
    fn fit(&mut self, rules: &Rules) {
        if !rules.prompts.fields.title {
            self.title = None;
        }
    }
}

impl Fit for Resource {
    fn fit(&mut self, rules: &Rules) {
        let Self { title, icons, meta, .. } = self;
        fields(rules.resources.fields, title, icons, meta);
        self.annotations.iter_mut().for_each(|it: &mut Annotations| it.fit(rules));
    }
}

impl Fit for ResourceTemplate {
    fn fit(&mut self, rules: &Rules) {
        let Self { title, icons, meta, .. } = self;
        fields(rules.resources.fields, title, icons, meta);
        self.annotations.iter_mut().for_each(|it: &mut Annotations| it.fit(rules));
    }
}

/// The members that came to everything that is listed.
pub(super) fn fields(
    known: Fields,
    title: &mut Option<String>,
    icons: &mut Option<Vec<Icon>>,
    meta: &mut Option<Meta>,
) {
    if !known.title {
        *title = None;
    }
    if !known.icons {
        *icons = None;
    }
    if !known.meta {
        *meta = None;
    }
}
