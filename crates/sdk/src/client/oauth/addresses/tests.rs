use super::*;

fn policy(server: &str, zone: Zone) -> AddressPolicy {
    AddressPolicy::new(Url::parse(server).unwrap(), zone)
}

#[track_caller]
fn zone(address: &str) -> Zone {
    Zone::of(address.parse().unwrap())
}

#[test]
fn a_public_server_cannot_send_a_client_into_its_own_network() {
    let policy = policy("https://mcp.example.com/mcp", Zone::Public);
    for inside in [
        "https://10.0.0.1/",
        "https://172.16.0.1/",
        "https://192.168.1.1/",
        "https://100.64.0.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://127.0.0.1/",
        "https://0.0.0.0/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://2130706433/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[64:ff9b::10.0.0.1]/",
        "https://[2002:a00:1::]/",
        "https://[fd00::1]/",
        "https://[fe80::1]/",
        "https://255.255.255.255/",
    ] {
        assert!(matches!(policy.check(inside), Err(Blocked::Address(_))), "{inside}");
    }
    for name in ["https://localhost/", "https://LOCALHOST./", "http://a.localhost:3000/"] {
        assert_eq!(policy.check(name), Err(Blocked::Machine), "{name}");
    }
}

#[test]
fn a_name_is_judged_by_what_it_resolves_to() {
    let public = policy("https://mcp.example.com/mcp", Zone::Public);
    assert!(public.check("https://rebound.example.com/").is_ok());
    assert!(!public.admits("rebound.example.com", "169.254.169.254".parse().unwrap()));
    assert!(!public.admits("rebound.example.com", "127.0.0.1".parse().unwrap()));
    assert!(public.admits("rebound.example.com", "93.184.216.34".parse().unwrap()));
    assert!(public.admits("MCP.example.com", "10.0.0.1".parse().unwrap()), "the server itself");
}

#[test]
fn a_server_may_name_what_is_where_it_is_itself() {
    let local = policy("http://localhost:3000/mcp", Zone::Loopback);
    assert!(local.check("http://127.0.0.1:4000/").is_ok());
    assert!(local.check("http://localhost:4000/").is_ok());
    assert!(local.check("https://10.0.0.1/").is_ok());
    assert_eq!(local.check("http://10.0.0.1/"), Err(Blocked::NotSecure));
    assert!(local.check("https://169.254.169.254/").is_err());
    let private = policy("https://10.0.0.5/mcp", Zone::Private);
    assert!(private.check("https://192.168.1.1/").is_ok());
    assert!(private.check("https://127.0.0.1/").is_err());
    assert!(private.check("https://localhost/").is_err());
}

#[test]
fn only_https_leaves_the_machine_except_to_the_server_itself() {
    let plain = policy("http://mcp.example.com/mcp", Zone::Public);
    assert!(plain.check("http://mcp.example.com/.well-known/x").is_ok());
    for bad in [
        "http://other.example.com/",
        "http://mcp.example.com:81/",
        "ftp://mcp.example.com/",
        "javascript:alert(1)",
        "file:///etc/passwd",
    ] {
        let refused = plain.check(bad);
        assert!(matches!(refused, Err(Blocked::NotSecure | Blocked::NotAbsolute)), "{bad}");
    }
    assert_eq!(plain.check("/relative"), Err(Blocked::NotAbsolute));
    assert_eq!(plain.check("https://user:canary@example.com/"), Err(Blocked::Credentials));
}

#[test]
fn what_the_user_chose_may_be_anywhere() {
    let mut policy = policy("https://mcp.example.com/mcp", Zone::Public);
    policy.choose(Url::parse("https://10.1.1.1:8443/token").unwrap());
    assert!(policy.check("https://10.1.1.1:8443/other").is_ok());
    assert!(policy.check("https://10.1.1.1/other").is_err(), "another port is another place");
}

#[test]
fn addresses_are_told_apart() {
    assert_eq!(zone("8.8.8.8"), Zone::Public);
    assert_eq!(zone("2606:4700::1111"), Zone::Public);
    assert_eq!(zone("::"), Zone::Nowhere);
    assert_eq!(zone("::1"), Zone::Loopback);
    assert_eq!(zone("::ffff:127.0.0.1"), Zone::Loopback);
    assert_eq!(zone("224.0.0.1"), Zone::Nowhere);
    assert_eq!(zone("2001:db8::1"), Zone::Nowhere);
    assert_eq!(zone("2001:0:5ef5:79fd::f5ff:fffe"), Zone::Private, "10.0.0.1 behind a tunnel");
    let both = ["8.8.8.8".parse().unwrap(), "10.0.0.1".parse().unwrap()];
    assert_eq!(Zone::closest(both), Zone::Private);
}
