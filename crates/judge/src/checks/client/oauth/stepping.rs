//! Clients whose token is good for less than they want to do.

use super::{
    Visit, at, besides, endpoint, ends_with, flow, in_query, pass_unless,
    redirecting::sent,
    refusing::send,
    scopes::{asked, words},
    visits,
};
use crate::{
    checks::Check,
    outcome::{Finding, Outcome, each},
};
use proofmark_converse::{authorization_variant::AuthorizationVariant, mutation::Passing};
use proofmark_record::{evidence::Evidence, topic::Topic};

pub(crate) const S172: Check = Check {
    how: "refuses calls for want of a scope, and looks whether the client asks for it",
    fix: "on insufficient_scope, send the person to the authorization server again, for the scopes that the challenge names",
    judge: |evidence| {
        stepping(evidence, AuthorizationVariant::STEP_UP, |refused, again| {
            let expected = "another authorization request";
            again.is_empty().then(|| Finding::new(expected, "none", refused.exchange.answered))
        })
    },
    mutants: &[at("takes a missing scope for the end", AuthorizationVariant::STEP_UP, |request| {
        pass_unless(request.path.contains("hosted%3Acall"))
    })],
};

pub(crate) const S173: Check = Check {
    how: "refuses calls for want of a scope again and again",
    fix: "give up after a few attempts with the same scopes",
    judge: |evidence| {
        stepping(evidence, AuthorizationVariant::INSATIABLE, |_, again| {
            let last = again.get(A_FEW)?;
            let actual = format!("{} of them", again.len());
            Some(Finding::new("a few authorization requests", actual, last.place()))
        })
    },
    mutants: &[besides("never gives up", |variant, request| {
        let again =
            variant == AuthorizationVariant::INSATIABLE && request.path.contains("hosted%3Acall");
        let mut others: Vec<_> = (0..=A_FEW).flat_map(|_| send(again, request)).collect();
        for other in &mut others {
            in_query(other, |query| query.set("scope", "hosted:use hosted:call"));
        }
        others
    })],
};

pub(crate) const S185: Check = Check {
    how: "refuses calls for want of a scope, and compares what the client asks for then with what it asked for before",
    fix: "ask for the scopes of the challenge together with those that you asked for before",
    judge: |evidence| {
        stepping(evidence, AuthorizationVariant::STEP_UP, |refused, again| {
            let before = sent(evidence)
                .filter(|it| it.is_before(refused))
                .flat_map(|it| asked(&it))
                .collect();
            let last = again.last()?;
            let now = asked(last);
            let lost = now.is_superset(&before);
            (!lost).then(|| Finding::new(words(&before), words(&now), last.place()))
        })
    },
    mutants: &[FORGETS],
};

pub(crate) const S180: Check = Check { ..S185 };
pub(crate) const S320: Check = Check { ..S185 };

const FORGETS: crate::mutant::Mutant =
    at("forgets what it could do before", AuthorizationVariant::STEP_UP, |request| {
        if request.path.contains("hosted%3Acall") {
            in_query(request, |query| query.set("scope", "hosted:call"));
        }
        Passing::Yes
    })
    .also(&["S180", "S185", "S320"]);

pub(crate) const A099: Check = Check {
    how: "refuses calls of a client that acts for itself for want of a scope",
    fix: "nothing: both are allowed",
    judge: |evidence| {
        flow(evidence, || {
            let asked = || {
                let asked = visits(evidence, Topic::Token)
                    .filter(|it| it.variant == AuthorizationVariant::CREDENTIALS);
                asked.filter(|it| it.form.get("grant_type") == Some("client_credentials"))
            };
            let refused = endpoint(evidence).find(|it| {
                it.variant == AuthorizationVariant::CREDENTIALS && it.exchange.status == Some(403)
            });
            let Some(refused) = refused.filter(|_| asked().next().is_some()) else {
                let why = "no client that acts for itself lacked a scope";
                return Outcome::NotApplicable(why.to_owned());
            };
            let again = asked().any(|it| refused.is_before(&it));
            Outcome::Offered(if again { "asks for more scopes" } else { "gives up" }.to_owned())
        })
    },
    mutants: &[at("does not act for itself", AuthorizationVariant::CREDENTIALS, |request| {
        pass_unless(ends_with(request, "/token"))
    })],
};

/// Judges what people are asked for after a call was refused for want of a scope.
fn stepping(
    evidence: &Evidence,
    variant: &'static AuthorizationVariant,
    judge: impl Fn(&Visit<'_>, &[Visit<'_>]) -> Option<Finding>,
) -> Outcome {
    flow(evidence, || {
        let refused = endpoint(evidence)
            .filter(|it| it.variant == variant && it.exchange.status == Some(403))
            .take(1);
        each(refused, "no call was refused for want of a scope", |refused| {
            let again: Vec<_> = sent(evidence).filter(|it| refused.is_before(it)).collect();
            judge(&refused, &again)
        })
    })
}

/// More attempts than these are not a few.
const A_FEW: usize = 5;
