//! Every page of a small fleet, as a browser gets it.
#![expect(clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{collections::BTreeSet, path::PathBuf};

use proofmark_fleet::{
    inventory::Fleet,
    outcome::{Found, Kind, Outcome, Severity, Subject, Verdict},
    store::{Store, Trial},
};
use proofmark_web::{Settings, Site, browser::Browser};

#[test]
fn every_page_answers_and_what_servers_say_is_text() {
    let place = Place::new();
    place.fill();
    place.browse(|browser| {
        let name = "a%22%3E%3Cscript%3Ealert%281%29";
        for (path, expected) in [
            ("/".to_owned(), "Servers"),
            ("/?q=alert&owner=ann".to_owned(), "alert(1)"),
            ("/?q=none".to_owned(), "No server fits"),
            ("/matrix".to_owned(), "M022"),
            (format!("/server?name={name}"), "2 findings are open"),
            ("/server?name=none".to_owned(), "There is no such server"),
            ("/requirement?id=M022".to_owned(), "1 server breaks it"),
            ("/requirement?id=M001".to_owned(), "No server breaks it"),
            ("/runs".to_owned(), "run 2"),
            ("/run?run=1".to_owned(), "looked at for the first time"),
            ("/run?run=2".to_owned(), "1 new"),
            ("/run?run=3".to_owned(), "0 of 2 done"),
        ] {
            let answer = browser.get(&path);
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
            assert!(answer.body.contains(expected), "{path}: {expected}\n{}", answer.body);
            assert!(!answer.body.contains("<script>"), "{path}");
            assert!(!answer.body.contains("style="), "{path}");
            assert!(answer.body.len() < 100_000, "{path}: {}", answer.body.len());
        }
        let metrics = browser.get("/metrics");
        assert!(metrics.body.ends_with("# EOF\n"), "{}", metrics.body);
        let badge = browser.get(&format!("/badge.svg?name={name}"));
        assert!(badge.body.contains("not conformant"), "{}", badge.body);
        assert_eq!(browser.get("/nowhere").status, 404);
        assert_eq!(browser.get("/run?run=99").status, 503);
        assert_eq!(browser.get("/static/run.js").status, 200);
    });
}

#[test]
fn without_the_link_nothing_is_seen() {
    let place = Place::new();
    place.fill();
    place.browse(|browser| {
        let stranger = Browser::new(browser.address);
        for path in ["/", "/matrix", "/runs", "/metrics", "/badge.svg?name=a", "/run/events?run=1"]
        {
            let answer = stranger.get(path);
            assert!(answer.status == 401 || answer.status == 403, "{path}: {}", answer.status);
            assert!(!answer.body.contains("alert"), "{path}");
        }
    });
}

struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        use std::sync::atomic::{AtomicUsize, Ordering};
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("proofmark-dashboard-{}-{number}.db", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Two runs that are finished, and one that goes on.
    fn fill(&self) {
        let file = self.0.with_extension("yaml");
        std::fs::write(
            &file,
            "servers:\n  'a\"><script>alert(1)': {command: x, owner: ann}\n  b: {command: y}\n",
        )
        .unwrap();
        let fleet = Fleet::load(&file, &|_| None).unwrap();
        std::fs::remove_file(file).unwrap();
        let mut store = Store::open(&self.0.clone().into()).unwrap();
        store.register(&fleet).unwrap();
        let names: BTreeSet<&str> = fleet.members.keys().map(String::as_str).collect();
        for ids in [&["M022"][..], &["M022", "M023"]] {
            let run = store.begin(&names, "", 1_000).unwrap().id;
            for job in store.remaining(run).unwrap() {
                let ids = if job.server == "b" { &[] } else { ids };
                store.record(run, job.way, &outcome(ids), Trial::default()).unwrap();
            }
            store.finish(run, 2_000).unwrap();
        }
        store.begin(&names, "", 3_000).unwrap();
    }

    fn browse(&self, look: impl FnOnce(&Browser)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let settings =
            Settings { assets: vec![proofmark_dashboard::ASSETS], ..Settings::default() };
        let routes = proofmark_dashboard::routes(self.0.clone().into());
        let site = runtime.block_on(Site::bind(routes, settings)).unwrap();
        let link = site.link();
        let serving = runtime.spawn(site.run());
        look(&Browser::open(&link));
        serving.abort();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", self.0.display()));
        }
    }
}

fn outcome(ids: &[&str]) -> Outcome {
    let evil = "<script>alert(1)</script>";
    let found = ids.iter().map(|id| Found {
        subject: Subject { kind: Kind::Requirement, id: (*id).to_owned() },
        severity: Severity::Fail,
        expected: evil.to_owned(),
        actual: evil.to_owned(),
    });
    let verdict = if ids.is_empty() { Verdict::Conformant } else { Verdict::Broken };
    Outcome {
        found: found.collect(),
        score: Some(90),
        peer_name: Some(evil.to_owned()),
        peer_version: Some(evil.to_owned()),
        ..Outcome::failed(verdict, evil.to_owned())
    }
}
