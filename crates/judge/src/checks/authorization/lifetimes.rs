//! Grants and tokens of servers that are their own authorization servers: what there is, how long it lives, and what replaces it.

use serde_json::Value;

use super::{NO_ISSUER, NO_TOKENS, demanding, documents};
use crate::{
    checks::{
        Check,
        issuer::tokens::{LONG_LIVED, UNROTATED, rotated, short_lived},
        shape::{doubtful, show},
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, all_of, each},
};
use proofmark_converse::mutation::Mutation;
use proofmark_record::{evidence::Evidence, topic::Topic};

pub(crate) const S145: Check = Check {
    how: "looks at grant_types_supported in the metadata",
    fix: "support authorization_code for people, or client_credentials for programs",
    judge: |evidence| {
        demanding(evidence, |_| {
            let published = documents(evidence, Topic::IssuerMetadata);
            // Which grants fit whom is for the server to say; there may be more than the usual two.
            doubtful(each(published, NO_ISSUER, |(exchange, document)| {
                let grants = document.get("grant_types_supported")?;
                let usual = |grant: &Value| USUAL.iter().any(|usual| grant == usual);
                let has = grants.as_array().is_some_and(|grants| grants.iter().any(usual));
                (!has).then(|| Finding::new(USUAL.join(" or "), show(grants), exchange.answered))
            }))
        })
    },
    mutants: &[Mutant::new(
        "wants to be told passwords",
        Mutation::Says(|_, document| {
            if document.get("token_endpoint").is_some() {
                document["grant_types_supported"] = Value::from(vec!["password"]);
            }
        }),
    )
    .of(Variant::Guarded)],
};

pub(crate) const S146: Check = Check {
    how: "looks at expires_in of the tokens it is given, and renews them",
    fix: "let access tokens expire, and replace refresh tokens when they are used",
    judge: |evidence| {
        given(evidence, |evidence| all_of([short_lived(evidence), rotated(evidence)]))
    },
    mutants: &[
        LONG_LIVED.of(Variant::Issuing).also(&["S148"]),
        UNROTATED.of(Variant::Issuing).also(&["S147"]),
    ],
};

pub(crate) const S147: Check = Check {
    how: "renews its tokens",
    fix: "replace refresh tokens when they are used",
    judge: |evidence| given(evidence, rotated),
    mutants: &[UNROTATED.of(Variant::Issuing).also(&["S146"])],
};

pub(crate) const S148: Check = Check {
    how: "looks at expires_in of the tokens it is given",
    fix: "let access tokens expire within the hour",
    judge: |evidence| given(evidence, short_lived),
    mutants: &[LONG_LIVED.of(Variant::Issuing).also(&["S146"])],
};

/// Judges what the checker was given.
fn given(evidence: &Evidence, judge: fn(&Evidence) -> Outcome) -> Outcome {
    demanding(evidence, |_| {
        if evidence.exchanges_about(Topic::Redeem).next().is_none() {
            return Outcome::Unobserved(NO_TOKENS.to_owned());
        }
        judge(evidence)
    })
}

const USUAL: [&str; 2] = ["authorization_code", "client_credentials"];
