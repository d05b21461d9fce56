//! Credentials that are forgotten with the process.

use std::{
    collections::HashMap,
    io,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{CredentialStore, Grant};
use crate::{BoxFuture, client::oauth::Registration};

/// Keeps credentials as long as the process runs.
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    grants: HashMap<String, Grant>,
    registrations: HashMap<String, Registration>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CredentialStore for MemoryStore {
    fn grant<'a>(&'a self, server: &'a str) -> BoxFuture<'a, io::Result<Option<Grant>>> {
        let grant = self.lock().grants.get(server).cloned();
        Box::pin(async { Ok(grant) })
    }

    fn keep_grant<'a>(
        &'a self,
        server: &'a str,
        grant: Option<Grant>,
    ) -> BoxFuture<'a, io::Result<()>> {
        let mut kept = self.lock();
        match grant {
            Some(grant) => drop(kept.grants.insert(server.to_owned(), grant)),
            None => drop(kept.grants.remove(server)),
        }
        Box::pin(async { Ok(()) })
    }

    fn registration<'a>(
        &'a self,
        issuer: &'a str,
    ) -> BoxFuture<'a, io::Result<Option<Registration>>> {
        let registration = self.lock().registrations.get(issuer).cloned();
        Box::pin(async { Ok(registration) })
    }

    fn keep_registration<'a>(
        &'a self,
        issuer: &'a str,
        registration: Option<Registration>,
    ) -> BoxFuture<'a, io::Result<()>> {
        let mut kept = self.lock();
        match registration {
            Some(registration) => {
                drop(kept.registrations.insert(issuer.to_owned(), registration));
            }
            None => drop(kept.registrations.remove(issuer)),
        }
        Box::pin(async { Ok(()) })
    }
}
