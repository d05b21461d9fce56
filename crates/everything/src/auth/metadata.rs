//! What the authorization server says about itself (RFC 8414, and OpenID Connect Discovery).

use serde_json::{Map, Value, json};
use url::Url;

use super::{Documents, Iss, Offer, Pkce, Rotation, Settings, Variant};

/// Whether a document about the server lies at this path.
pub(super) fn lies_at(path: &str, issuer: &Url, documents: Documents) -> bool {
    let own = issuer.path().trim_end_matches('/');
    let oauth = format!("/.well-known/oauth-authorization-server{own}");
    let open_id = format!("/.well-known/openid-configuration{own}");
    let below = format!("{own}/.well-known/openid-configuration");
    match documents {
        Documents::All => path == oauth || path == open_id || path == below,
        Documents::None => false,
        Documents::OAuth => path == oauth,
        Documents::OpenId => path == open_id || path == below,
        Documents::OpenIdBelow => path == below,
    }
}

pub(super) fn document(settings: &Settings) -> Value {
    let Settings { issuer, variant, .. } = settings;
    let base = issuer.trim_end_matches('/');
    let mut scopes = settings.scopes.clone();
    if variant.rotation != Rotation::NoRefresh {
        scopes.push(OFFLINE_ACCESS.into());
    }
    let fields = json!({
        "issuer": variant.issuer_in_metadata.as_ref().unwrap_or(issuer),
        "authorization_endpoint": format!("{base}{AUTHORIZE}"),
        "token_endpoint": format!("{base}{TOKEN}"),
        "jwks_uri": format!("{base}{JWKS}"),
        "scopes_supported": scopes,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": grant_types(variant),
        "token_endpoint_auth_methods_supported":
            ["none", "client_secret_basic", "client_secret_post"],
        "protected_resources": settings.resources,
        "authorization_response_iss_parameter_supported": variant.iss != Iss::Absent,
        "client_id_metadata_document_supported": variant.client_documents == Offer::Made,
        // What OpenID Connect Discovery wants to be there. There are no id tokens.
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    });
    let mut fields = match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    match variant.pkce {
        Pkce::S256 => fields.insert(METHODS.into(), json!(["S256"])),
        Pkce::PlainOnly => fields.insert(METHODS.into(), json!(["plain"])),
        Pkce::Unmentioned => None,
    };
    if variant.registration == Offer::Made {
        let endpoint = format!("{base}{REGISTER}");
        fields.insert("registration_endpoint".into(), endpoint.into());
    }
    Value::Object(fields)
}

pub(super) fn grant_types(variant: &Variant) -> Vec<&'static str> {
    let mut types = vec!["authorization_code", "client_credentials"];
    if variant.rotation != Rotation::NoRefresh {
        types.push("refresh_token");
    }
    types
}

pub(super) const AUTHORIZE: &str = "/authorize";
pub(super) const TOKEN: &str = "/token";
pub(super) const REGISTER: &str = "/register";
pub(super) const JWKS: &str = "/jwks.json";
/// The scope with which clients ask for refresh tokens.
pub(super) const OFFLINE_ACCESS: &str = "offline_access";
const METHODS: &str = "code_challenge_methods_supported";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_with_a_path_has_its_documents_in_three_places() {
        let issuer = Url::parse("https://as.example/tenant").unwrap();
        for path in [
            "/.well-known/oauth-authorization-server/tenant",
            "/.well-known/openid-configuration/tenant",
            "/tenant/.well-known/openid-configuration",
        ] {
            assert!(lies_at(path, &issuer, Documents::All), "{path}");
        }
        assert!(!lies_at("/.well-known/oauth-authorization-server", &issuer, Documents::All));
    }

    #[test]
    fn variants_differ_in_what_they_say() {
        let mut settings = Settings::new("https://as.example", "https://rs.example/mcp");
        let sane = document(&settings);
        assert_eq!(sane["code_challenge_methods_supported"], json!(["S256"]));
        assert_eq!(sane["registration_endpoint"], "https://as.example/register");
        settings.variant = Variant {
            issuer_in_metadata: Some("https://evil.example".into()),
            pkce: Pkce::Unmentioned,
            iss: Iss::Absent,
            registration: Offer::NotMade,
            client_documents: Offer::NotMade,
            rotation: Rotation::NoRefresh,
            ..Variant::default()
        };
        let odd = document(&settings);
        assert_eq!(odd["issuer"], "https://evil.example");
        assert_eq!(odd["authorization_response_iss_parameter_supported"], false);
        assert_eq!(odd["client_id_metadata_document_supported"], false);
        assert_eq!(
            odd["grant_types_supported"],
            json!(["authorization_code", "client_credentials"])
        );
        assert_eq!(odd["scopes_supported"], json!(["mcp"]));
        assert!(odd.get("code_challenge_methods_supported").is_none());
        assert!(odd.get("registration_endpoint").is_none());
    }
}
