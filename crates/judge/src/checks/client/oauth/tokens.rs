//! How a token is shown to the server that it is for.

use super::{Visit, at, endpoint, flow, in_query, mutated, pass_unless, visits};
use crate::{
    checks::{
        Check,
        client::http::{NOTHING, says},
    },
    mutant::{Mutant, Variant},
    outcome::{Finding, Outcome, all_of, each},
};
use proofmark_converse::{
    authorization_variant::AuthorizationVariant,
    mutation::{Mutation, Passing},
};
use proofmark_record::{
    event::header,
    evidence::{Evidence, Place},
    topic::Topic,
};

pub(crate) const M036: Check = Check {
    how: "looks at Authorization of every request once the client has a token",
    fix: "send the token as Authorization: Bearer <token>",
    judge: |evidence| {
        let shown = holding(evidence).into_iter().filter(|it| authorization(it).is_some());
        flow(evidence, || {
            each(shown, NO_TOKEN, |visit| {
                let value = authorization(&visit).unwrap_or_default();
                let scheme = value.split(' ').next().unwrap_or_default();
                let right = scheme.eq_ignore_ascii_case("bearer") && value.len() > scheme.len();
                let actual = format!("the scheme {scheme:?}");
                (!right).then(|| Finding::new("Authorization: Bearer", actual, visit.place()))
            })
        })
    },
    mutants: &[OWN_SCHEME.also(&["M294"])],
};

pub(crate) const M294: Check = Check {
    how: "looks at how the token comes with every request",
    fix: "send the token as Authorization: Bearer <token>, and nowhere else",
    judge: |evidence| all_of([(M036.judge)(evidence), (M037.judge)(evidence)]),
    mutants: &[OWN_SCHEME.also(&["M036"])],
};

const OWN_SCHEME: Mutant = mutated("has a scheme of its own", |request| {
    if says(request, "tools/call")
        && let Some(value) = request.header("authorization")
    {
        let value = value.replace("Bearer ", "Token ");
        request.set("authorization", &value);
    }
});

pub(crate) const A092: Check = Check {
    how: "demands a token, and looks whether the client tries to get one",
    fix: "nothing: this is allowed",
    judge: |evidence| {
        let tries = || Outcome::NotOffered("gets tokens where they are demanded".to_owned());
        match flow(evidence, tries) {
            Outcome::NotApplicable(_) => Outcome::Offered("does without tokens".to_owned()),
            outcome => outcome,
        }
    },
    mutants: &[Mutant::new(
        "knows nothing of tokens",
        Mutation::Request(|request| pass_unless(request.path != "/mcp")),
    )
    .of(Variant::Guarded)],
};

pub(crate) const M295: Check = Check {
    how: "looks for Authorization in every request once the client has a token",
    fix: "send the token with every request, also within a session",
    judge: |evidence| {
        flow(evidence, || {
            each(holding(evidence), NO_TOKEN, |visit| {
                let has = authorization(&visit).is_some();
                (!has).then(|| Finding::new("Authorization", "no such header", visit.place()))
            })
        })
    },
    mutants: &[mutated("trusts in its session", |request| {
        if says(request, "tools/call") {
            request.remove("authorization");
        }
    })],
};

pub(crate) const M037: Check = Check {
    how: "looks for tokens in the query of every request",
    fix: "send tokens in the Authorization header only",
    judge: |evidence| {
        let given = given(evidence);
        flow(evidence, || {
            let all = TOPICS.into_iter().flat_map(|topic| visits(evidence, topic));
            each(all, NOTHING, |visit| {
                let query = visit.target().split_once('?').map_or("", |(_, query)| query);
                let has = query.contains("access_token=")
                    || given.iter().any(|(_, token)| query.contains(token));
                has.then(|| Finding::new("no token in the query", "one", visit.place()))
            })
        })
    },
    mutants: &[
        mutated("puts the token into the query", |request| {
            if says(request, "tools/call")
                && let Some(value) = request.header("authorization")
            {
                let token = value.replace("Bearer ", "");
                request.path = format!("{}?access_token={token}", request.path);
            }
        })
        .also(&["M294"]),
        mutated("shows people a token", |request| {
            in_query(request, |query| query.set("access_token", "an-older-one"));
        })
        .also(&["M294"]),
    ],
};

pub(crate) const M321: Check = Check {
    how: "compares every token that comes with those that the authorization server gave the client",
    fix: "send a server the tokens that its own authorization server issued, and no others",
    judge: |evidence| {
        let given = given(evidence);
        flow(evidence, || {
            let shown = endpoint(evidence).filter(|it| authorization(it).is_some());
            each(shown, NO_TOKEN, |visit| {
                let token = authorization(&visit)?.split_once(' ').map_or("", |(_, token)| token);
                let known = given.iter().any(|(conversation, it)| {
                    *conversation == visit.place().conversation && *it == token
                });
                let expected = "a token of the authorization server";
                (!known).then(|| Finding::new(expected, "another token", visit.place()))
            })
        })
    },
    mutants: &[mutated("sends a token from elsewhere", |request| {
        if says(request, "tools/call") {
            request.set("authorization", "Bearer of-somebody-else");
        }
    })],
};

pub(crate) const M373: Check = Check {
    how: "gives the client no refresh token, and looks whether it uses the token that it has",
    fix: "do without refresh tokens where there are none",
    judge: |evidence| {
        flow(evidence, || {
            let alone = visits(evidence, Topic::Token).filter(|visit| {
                let answer = visit.answer(evidence);
                visit.variant == AuthorizationVariant::USUAL
                    && answer.is_some_and(|it| {
                        it.get("access_token").is_some() && it.get("refresh_token").is_none()
                    })
            });
            each(alone, NO_TOKEN, |visit| {
                let used = endpoint(evidence)
                    .any(|it| visit.is_before(&it) && authorization(&it).is_some());
                let expected = "the token in use";
                (!used).then(|| Finding::new(expected, "no request with it", visit.place()))
            })
        })
    },
    mutants: &[at("wants a refresh token", AuthorizationVariant::USUAL, |request| {
        if request.header("authorization").is_some() {
            "/elsewhere".clone_into(&mut request.path);
        }
        Passing::Yes
    })
    .also(&["S008"])],
};

/// Requests at the endpoint by a client that has a token, and does not know yet that it is worth nothing.
fn holding(evidence: &Evidence) -> Vec<Visit<'_>> {
    let grants: Vec<_> = visits(evidence, Topic::Token)
        .filter(|it| it.exchange.status == Some(200))
        .filter_map(|it| it.exchange.answered)
        .collect();
    let refused: Vec<_> = endpoint(evidence)
        .filter(|it| it.exchange.status == Some(401) && authorization(it).is_some())
        .filter_map(|it| it.exchange.answered)
        .collect();
    endpoint(evidence)
        .filter(|visit| {
            let last = |places: &[Place]| {
                let own = places.iter().filter(|it| {
                    it.conversation == visit.place().conversation && it.event < visit.place().event
                });
                own.map(|it| it.event).max()
            };
            last(&grants) > last(&refused)
        })
        .collect()
}

fn authorization<'e>(visit: &Visit<'e>) -> Option<&'e str> {
    header(visit.exchange.asked, "authorization")
}

/// Access tokens that the client was given, with the conversation of each.
fn given(evidence: &Evidence) -> Vec<(usize, &str)> {
    visits(evidence, Topic::Token)
        .filter_map(|visit| {
            let token = visit.answer(evidence)?.get("access_token")?.as_str()?;
            Some((visit.place().conversation, token))
        })
        .collect()
}

const TOPICS: [Topic; 6] = [
    Topic::Endpoint,
    Topic::ResourceMetadata,
    Topic::IssuerMetadata,
    Topic::Register,
    Topic::Authorize,
    Topic::Token,
];
const NO_TOKEN: &str = "the client never had a token";
