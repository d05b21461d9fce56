//! What is known of servers before they are asked.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use proofmark_core::revision::Era;
use tokio::time::Instant;

use super::Target;

/// Remembers which servers belong to the legacy era, so that they are greeted at once instead of being asked first. Clones share what they
/// know: give one to every client that may meet the same servers ([`ClientBuilder::eras`](super::ClientBuilder::eras)).
///
/// An origin stands for all its addresses, a program for all its processes with the same arguments. What turns out to be wrong is
/// forgotten, and after an hour it is asked again anyway: servers are brought up to date.
#[derive(Clone, Debug, Default)]
pub struct Eras(Arc<Mutex<HashMap<String, Instant>>>);

impl Eras {
    pub(super) fn are_legacy(&self, server: &str) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(server).is_some_and(|noted| noted.elapsed() < BELIEVED)
    }

    pub(super) fn note(&self, server: String, era: Era) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match era {
            Era::Legacy => {
                if known.len() >= MOST {
                    known.retain(|_, noted| noted.elapsed() < BELIEVED);
                }
                if known.len() < MOST {
                    known.entry(server).or_insert_with(Instant::now);
                }
            }
            Era::Modern => {
                known.remove(&server);
            }
        }
    }

    pub(super) fn forget(&self, server: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(server);
    }
}

/// The name under which a server is remembered; `None` for one that cannot be met again.
pub(super) fn name(target: &Target) -> Option<String> {
    match target {
        Target::Command(command) => Some(format!(
            "{} {:?} {:?}",
            command.program.display(),
            command.arguments,
            command.folder
        )),
        Target::Url(url) => {
            let uri: http::Uri = url.parse().ok()?;
            Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?).to_ascii_lowercase())
        }
        Target::Custom(_) | Target::Memory(_) | Target::SseUrl(_) | Target::Streams { .. } => None,
    }
}

const BELIEVED: Duration = Duration::from_secs(60 * 60);
const MOST: usize = 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_was_found_out_long_ago_is_asked_again() {
        let eras = Eras::default();
        eras.note("a".into(), Era::Legacy);
        assert!(eras.are_legacy("a") && !eras.are_legacy("b"));
        tokio::time::advance(BELIEVED).await;
        assert!(!eras.are_legacy("a"));
    }

    #[test]
    fn a_server_that_was_brought_up_to_date_is_no_longer_legacy() {
        let eras = Eras::default();
        eras.note("a".into(), Era::Legacy);
        eras.note("a".into(), Era::Modern);
        assert!(!eras.are_legacy("a"));
    }

    #[test]
    fn there_is_an_end_to_what_is_remembered() {
        let eras = Eras::default();
        for number in 0..2 * MOST {
            eras.note(number.to_string(), Era::Legacy);
        }
        assert_eq!(eras.0.lock().unwrap().len(), MOST);
    }

    #[test]
    fn servers_of_one_origin_have_one_name() {
        let name = |url: &str| name(&Target::Url(url.to_owned()));
        assert_eq!(name("http://a.example:80/one"), name("http://A.example:80/two"));
        assert_ne!(name("http://a.example/"), name("https://a.example/"));
        assert_eq!(name("nonsense"), None);
    }
}
