use super::*;
use crate::client::oauth::{Secret, TokenKind, token::Authentication};

/// A folder of its own for each test, gone when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("proofmark-store-{}-{count}", std::process::id())))
    }

    fn file(&self) -> PathBuf {
        self.0.join("deep").join("credentials.json")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _missing = fs::remove_dir_all(&self.0);
    }
}

fn grant(token: &str) -> Grant {
    Grant {
        issuer: "https://as.example".into(),
        access_token: Secret::new(token),
        kind: TokenKind::Bearer,
        refresh_token: None,
        expires_at: Some(1),
        scopes: vec!["a".into()],
        resource: None,
        token_endpoint: "https://as.example/token".into(),
        client_id: "me".into(),
        authentication: Authentication::None,
        dpop_key: None,
        lineage: "l".into(),
    }
}

#[tokio::test]
async fn what_is_kept_is_found_again_and_what_is_forgotten_is_not() {
    let folder = Folder::new();
    let store = FileStore::new(folder.file());
    assert_eq!(store.grant("https://a/").await.unwrap(), None);
    store.keep_grant("https://a/", Some(grant("one"))).await.unwrap();
    store.keep_grant("https://b/", Some(grant("two"))).await.unwrap();
    let again = FileStore::new(folder.file());
    assert_eq!(again.grant("https://a/").await.unwrap(), Some(grant("one")));
    again.keep_grant("https://a/", None).await.unwrap();
    assert_eq!(store.grant("https://a/").await.unwrap(), None);
    assert_eq!(store.grant("https://b/").await.unwrap(), Some(grant("two")));
    let left: Vec<_> = fs::read_dir(folder.0.join("deep")).unwrap().collect();
    assert_eq!(left.len(), 1, "no drafts");
}

#[tokio::test]
async fn registrations_are_kept_by_issuer() {
    let folder = Folder::new();
    let store = FileStore::new(folder.file());
    let registration = Registration {
        client_id: "me".into(),
        secret: Some("canary".into()),
        authentication: Authentication::Post,
        redirect_uri: None,
        secret_expires_at: None,
    };
    store.keep_registration("https://as", Some(registration.clone())).await.unwrap();
    assert_eq!(store.registration("https://as").await.unwrap(), Some(registration.clone()));
    assert_eq!(store.registration("https://as/").await.unwrap(), None);
    assert!(!format!("{registration:?}").contains("canary"));
}

#[cfg(all(unix, not(proofmark_portable)))]
#[tokio::test]
async fn only_the_owner_can_use_the_file() {
    use std::{os::unix::fs::PermissionsExt as _, path::Path};

    let folder = Folder::new();
    let store = FileStore::new(folder.file());
    store.keep_grant("https://a/", Some(grant("one"))).await.unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder.file()), 0o600);
    assert_eq!(mode(&folder.0.join("deep")), 0o700);
    for open in [0o640, 0o604, 0o620, 0o666] {
        fs::set_permissions(folder.file(), fs::Permissions::from_mode(open)).unwrap();
        let error = store.grant("https://a/").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{open:o}");
        assert!(store.keep_grant("https://a/", None).await.is_err(), "{open:o}");
    }
}

#[tokio::test]
async fn a_damaged_file_is_named_and_not_quoted() {
    let folder = Folder::new();
    let store = FileStore::new(folder.file());
    store.keep_grant("https://a/", Some(grant("canary"))).await.unwrap();
    let text = fs::read_to_string(folder.file()).unwrap().replace("\"canary\"", "canary");
    let mut file = fs::OpenOptions::new().write(true).truncate(true).open(folder.file()).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let error = store.grant("https://a/").await.unwrap_err().to_string();
    assert!(error.contains("is damaged in line"), "{error}");
    assert!(!error.contains("canary"), "{error}");
}

#[test]
fn two_stores_of_one_file_never_write_into_the_same_draft() {
    let folder = Folder::new();
    std::thread::scope(|scope| {
        for name in ["https://a/", "https://b/"] {
            let store = FileStore::new(folder.file());
            scope.spawn(move || {
                for _ in 0..20 {
                    store
                        .change(|kept| drop(kept.grants.insert(name.into(), grant(name))))
                        .unwrap();
                }
            });
        }
    });
    assert!(!FileStore::new(folder.file()).read().unwrap().grants.is_empty());
}
