//! What must not travel in the open: secrets in forms, in addresses, in headers and in logs.
//!
//! Nobody can tell a secret by its looks, but some are called so; what looks like one is at most a warning.

use serde_json::{Value, json};

use super::{
    Check,
    mirroring::marked,
    questions::{ELICITATION, all, elicitation, forms},
    shape::{doubtful, show},
    tools::none_applies,
    urls::page,
};
use crate::{
    mutant::Mutant,
    outcome::{Finding, each},
};
use proofmark_converse::{mutation::Mutation, scenario::MarkedArgument};
use proofmark_record::evidence::{Evidence, Place};

pub(crate) const M395: Check = SECRET_FIELDS;
pub(crate) const M404: Check = SECRET_FIELDS;
pub(crate) const M405: Check = SECRET_FIELDS;

const SECRET_FIELDS: Check = Check {
    how: "looks at the names of the fields of every form",
    fix: "do not ask for secrets in a form; where there are URL elicitations, send the user to a page",
    judge: |evidence| {
        let outcome = each(fields(evidence), "", |(place, name, field)| {
            let title = field.get("title").and_then(Value::as_str).unwrap_or_default();
            let secret = is_secret(name) || is_secret(title);
            secret.then(|| Finding::new("no field for a secret", show(&json!(name)), place))
        });
        doubtful(none_applies(outcome, NO_FORM))
    },
    mutants: &[elicitation("asks for a password in a form", |params| {
        if let Some(fields) = params.pointer_mut("/requestedSchema/properties") {
            fields["password"] = json!({ "type": "string" });
        }
    })
    .also(&["M395", "M404", "M405"])],
};

pub(crate) const S222: Check = Check {
    how: "looks for addresses in the texts of every form",
    fix: "keep addresses that can be clicked out of forms; use a URL elicitation",
    judge: |evidence| {
        let asked = all(evidence, ELICITATION).filter_map(|(place, request)| {
            let params = request.get("params")?;
            params.get("requestedSchema")?;
            Some((place, params))
        });
        let outcome = each(asked, "", |(place, params)| {
            let text = params.to_string();
            let link = ["http://", "https://"].iter().any(|scheme| {
                // The name of the dialect is no text for people.
                text.replace("https://json-schema.org/", "").contains(scheme)
            });
            link.then(|| Finding::new("no address in a form", show(params), place))
        });
        none_applies(outcome, NO_FORM)
    },
    mutants: &[elicitation("has an address in its form", |params| {
        params["message"] = json!("Please see https://example.com/terms");
    })],
};

pub(crate) const M435: Check = Check {
    how: "looks for credentials in the url of every URL elicitation",
    fix: "put neither credentials nor anything about the user into the address",
    judge: |evidence| {
        let pages = all(evidence, ELICITATION).filter_map(|(place, request)| {
            Some((place, request.pointer("/params/url")?.as_str()?))
        });
        let outcome = each(pages, "", |(place, url)| {
            let (_, rest) = url.split_once("://")?;
            let user = rest.split('/').next().unwrap_or_default().contains('@');
            let query = rest.split_once('?').map_or("", |(_, query)| query);
            let mut names = query.split(['&', '#']).filter_map(|pair| pair.split('=').next());
            let told = names.any(|name| is_secret(name) || PERSONAL.contains(&name));
            let expected = "an address without credentials";
            (user || told).then(|| Finding::new(expected, show(&json!(url)), place))
        });
        doubtful(none_applies(outcome, "nobody was sent to a page"))
    },
    mutants: &[page("sends users away with their address", |params| {
        params["url"] = json!("https://example.com/connect?email=user%40example.com");
    })],
};

pub(crate) const S251: Check = Check {
    how: "looks at the names of marked arguments",
    fix: "do not mark arguments that are secrets: headers are seen by everybody on the way",
    judge: |evidence| {
        let tools = evidence.listed("tools/list");
        let marks = tools.flat_map(|tool| {
            MarkedArgument::of(tool.message).into_iter().map(move |mark| (tool.place, mark))
        });
        let outcome = each(marks, "", |(place, mark)| {
            let secret = mark.path.iter().any(|name| is_secret(name)) || is_secret(&mark.token);
            let expected = "no secret among what is repeated in headers";
            secret.then(|| Finding::new(expected, show(&json!(mark.token)), place))
        });
        doubtful(none_applies(outcome, super::mirroring::UNMARKED))
    },
    mutants: &[marked("repeats a password in a header", |property| {
        property["x-mcp-header"] = json!("Password");
    })],
};

pub(crate) const M492: Check = SECRET_LOGS;
pub(crate) const S278: Check = SECRET_LOGS;

const SECRET_LOGS: Check = Check {
    how: "looks for what is called a secret in every log message",
    fix: "leave secrets out of log messages",
    judge: |evidence| {
        let outcome = each(evidence.told("notifications/message"), "", |heard| {
            let text = heard.message.to_string();
            let leaked = LEAKS.iter().find(|sign| text.contains(**sign))?;
            let expected = format!("no log message with {leaked:?}");
            Some(Finding::new(expected, show(heard.message), heard.place))
        });
        doubtful(none_applies(outcome, "nothing was logged"))
    },
    mutants: &[Mutant::new(
        "logs a password",
        Mutation::Says(|_, message| {
            if message["method"] == "notifications/message" {
                message["params"]["data"] = json!("signed in with password=hunter2");
            }
        }),
    )
    .also(&["M492", "S278"])],
};

fn fields(evidence: &Evidence) -> impl Iterator<Item = (Place, &str, &Value)> {
    forms(evidence).flat_map(|(place, form)| {
        let fields = form.get("properties").and_then(Value::as_object).into_iter().flatten();
        fields.map(move |(name, field)| (place, name.as_str(), field))
    })
}

/// Whether a name is that of a secret, however its words are put together.
fn is_secret(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    SECRETS.iter().any(|secret| plain.contains(secret))
}

const SECRETS: [&str; 9] = [
    "accesstoken",
    "apikey",
    "cardnumber",
    "clientsecret",
    "cvv",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
];
const PERSONAL: [&str; 4] = ["email", "name", "phone", "user"];
const LEAKS: [&str; 5] =
    ["Authorization:", "Bearer ey", "password=", "-----BEGIN PRIVATE KEY", "api_key="];
const NO_FORM: &str = "nothing that was called has a form";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        assert!(is_secret("API key"));
        assert!(is_secret("new_password"));
        assert!(!is_secret("username"));
    }
}
