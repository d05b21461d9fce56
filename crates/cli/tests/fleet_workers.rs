//! Several programs on one history: workers that are killed at random, on a file and on `PostgreSQL`.
//!
//! `PROOFMARK_POSTGRES` names a database in which schemas may be made; `PROOFMARK_KILLS` says how often processes are killed.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, clippy::unwrap_used, reason = "a test, also in its helpers")]

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::Value;

#[test]
fn workers_on_a_file_that_are_killed_lose_and_double_nothing() {
    let place = Place::new("file", "history.db".to_owned());
    place.workers_are_killed();
}

#[test]
fn workers_on_postgres_that_are_killed_lose_and_double_nothing() {
    let Ok(base) = std::env::var("PROOFMARK_POSTGRES") else {
        assert!(std::env::var_os("PROOFMARK_POSTGRES_REQUIRED").is_none(), "no PostgreSQL");
        eprintln!("SKIPPED: PROOFMARK_POSTGRES names no database");
        return;
    };
    let schema = format!("proofmark_workers_{}", std::process::id());
    let sql = |text: String| {
        let done = Command::new("psql").args([&base, "-qc", &text]).status();
        assert!(done.unwrap().success(), "{text}");
    };
    sql(format!("CREATE SCHEMA {schema}"));
    let place = Place::new("postgres", format!("{base}?options=-csearch_path%3D{schema}"));
    place.workers_are_killed();
    sql(format!("DROP SCHEMA {schema} CASCADE"));
}

struct Place {
    folder: PathBuf,
    database: String,
}

impl Place {
    fn new(name: &str, database: String) -> Self {
        let folder =
            std::env::temp_dir().join(format!("proofmark-workers-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let servers: Vec<String> =
            (0..JOBS).map(|it| format!("  s{it}: {{command: /no/such/program}}\n")).collect();
        fs::write(folder.join("fleet.yaml"), format!("servers:\n{}", servers.concat())).unwrap();
        Self { folder, database }
    }

    /// A run and two workers, any of which is killed now and then, until there were so many kills; then the rest is done in peace.
    fn workers_are_killed(&self) {
        let kills: u32 =
            std::env::var("PROOFMARK_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(6);
        let mut random = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let mut next = |most: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040);
            (random >> 33) % most
        };
        let mut killed = 0;
        let mut runs = 0;
        while killed < kills {
            runs += 1;
            let mut crew = vec![
                self.start(&["run", "--jobs", "1", "--lease", "1"]),
                self.start(&["worker", "--jobs", "2", "--lease", "1"]),
                self.start(&["worker", "--jobs", "1", "--lease", "1"]),
            ];
            if runs == 1 {
                self.wait_for_a_run();
            }
            for _ in 0..6 {
                sleep(Duration::from_millis(next(700)));
                if killed < kills {
                    let at = usize::try_from(next(3)).unwrap();
                    crew[at].kill().unwrap();
                    crew[at].wait().unwrap();
                    // The one that began the run is not begun again: that would be another run.
                    crew[at] = self.start(&["worker", "--jobs", "2", "--lease", "1"]);
                    killed += 1;
                }
            }
            for mut child in crew {
                let _ = child.kill();
                child.wait().unwrap();
                killed += 1;
            }
        }
        let began = Instant::now();
        let mut last = self.start(&["worker", "--until-idle", "--lease", "1"]);
        while last.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(600), "the rest is not done");
            sleep(Duration::from_millis(50));
        }
        let told = self.json(&["history", "--last", "1000", "--format", "json"]);
        let all = told["runs"].as_array().unwrap();
        assert!(!all.is_empty() && all.len() <= runs, "{} of {runs}", all.len());
        for run in all {
            assert!(run["finished"].is_string(), "{run}");
            assert_eq!((&run["jobs"], &run["failed"]), (&JOBS.into(), &JOBS.into()), "{run}");
        }
        for server in 0..JOBS {
            let name = format!("s{server}");
            let told = self.json(&["history", &name, "--last", "1000", "--format", "json"]);
            let results = told["ways"][0].as_array().unwrap();
            assert_eq!(results.len(), all.len(), "one result of each run");
        }
        eprintln!("{killed} kills in {runs} runs, {} of which were begun", all.len());
    }

    /// Later runs may be ended before they have begun; of one at least there has to be a rest.
    fn wait_for_a_run(&self) {
        let began = Instant::now();
        let is_there = || {
            let output = self.command(&["history", "--format", "json"]).output().unwrap();
            let told: Option<Value> = serde_json::from_slice(&output.stdout).ok();
            told.is_some_and(|it| it["runs"].as_array().is_some_and(|runs| !runs.is_empty()))
        };
        while !is_there() {
            let said = fs::read_to_string(self.folder.join(SAID)).unwrap_or_default();
            assert!(began.elapsed() < Duration::from_secs(60), "no run has begun: {said}");
            sleep(Duration::from_millis(50));
        }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_proofmark"));
        command.args(["fleet", "--database", &self.database]).args(words);
        let said = fs::File::options().create(true).append(true).open(self.folder.join(SAID));
        command.current_dir(&self.folder).stdin(Stdio::null()).stderr(said.unwrap());
        command
    }

    fn start(&self, words: &[&str]) -> Child {
        self.command(words).stdout(Stdio::null()).spawn().unwrap()
    }

    fn json(&self, words: &[&str]) -> Value {
        let output = self.command(words).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

const JOBS: u32 = 6;
/// What all of them say on standard error.
const SAID: &str = "said";
