use super::*;

fn places(of: fn(&Url) -> VecDeque<Url>, url: &str) -> Vec<String> {
    of(&Url::parse(url).unwrap()).into_iter().map(|url| url.to_string()).collect()
}

#[test]
fn a_server_is_looked_for_by_its_path_and_then_at_the_root() {
    assert_eq!(
        places(resource_places, "https://h:8443/public/mcp?x=1#y"),
        [
            "https://h:8443/.well-known/oauth-protected-resource/public/mcp",
            "https://h:8443/.well-known/oauth-protected-resource",
        ]
    );
    assert_eq!(
        places(resource_places, "https://h"),
        ["https://h/.well-known/oauth-protected-resource"]
    );
}

#[test]
fn an_issuer_with_a_path_has_three_places() {
    assert_eq!(
        places(server_places, "https://h/tenant"),
        [
            "https://h/.well-known/oauth-authorization-server/tenant",
            "https://h/.well-known/openid-configuration/tenant",
            "https://h/tenant/.well-known/openid-configuration",
        ]
    );
}

#[test]
fn an_issuer_without_a_path_has_two() {
    for issuer in ["https://h", "https://h/"] {
        assert_eq!(
            places(server_places, issuer),
            [
                "https://h/.well-known/oauth-authorization-server",
                "https://h/.well-known/openid-configuration",
            ]
        );
    }
}
