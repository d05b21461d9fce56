//! An inspector with its site, and a browser that has opened it.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::time::{Duration, Instant};

use proofmark_inspect::{ASSETS, Inspector, routes, server::ServerEntry};
use proofmark_web::{Settings, Site, browser::Browser};
use serde_json::Value;

pub(crate) struct Started {
    pub(crate) browser: Browser,
    inspector: Inspector,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Started {
    pub(crate) fn new(entries: Vec<ServerEntry>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let inspector = Inspector::new(entries, None);
        let settings = Settings { assets: vec![ASSETS], ..Settings::default() };
        let site =
            runtime.block_on(Site::bind(routes(inspector.clone()), settings)).expect("a site");
        let link = site.link();
        let working = inspector.clone();
        runtime.spawn(
            async move { tokio::join!(site.run(), working.connect_named(), working.judge()) },
        );
        Self { browser: Browser::open(&link), inspector, runtime: Some(runtime) }
    }

    #[track_caller]
    pub(crate) fn wait(&self, state: &str) {
        self.until("/api/state", |it| it["servers"][0]["state"] == state);
    }

    #[track_caller]
    pub(crate) fn until_page(&self, path: &str, part: &str) -> String {
        let began = Instant::now();
        loop {
            let page = self.browser.get(path).body;
            if page.contains(part) {
                return page;
            }
            assert!(began.elapsed() < PATIENCE, "{path}: {page}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[track_caller]
    pub(crate) fn until(&self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let value = self.browser.get(path).json();
            if holds(&value) {
                return value;
            }
            assert!(began.elapsed() < PATIENCE, "{path}: {value}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.block_on(self.inspector.close());
            runtime.shutdown_background();
        }
    }
}

pub(crate) fn shell(script: &str) -> ServerEntry {
    ServerEntry::command("shell", ["sh", "-c", script].map(str::to_owned).to_vec())
}

const PATIENCE: Duration = Duration::from_secs(60);
