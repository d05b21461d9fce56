//! What the authorization server has given out and has to remember.

use std::time::Duration;

use tokio::time::Instant;

use super::Settings;
use super::client::Client;
use super::expiring_map::ExpiringMap;
use super::refusal::Refusal;
use super::secret::{Digest, random};

/// Every change is complete when its method returns; there is nothing in between.
pub(super) struct Store {
    pub(super) registered: ExpiringMap<String, Client>,
    /// Clients of which there is a document, for as long as that is believed.
    pub(super) documented: ExpiringMap<String, Client>,
    codes: ExpiringMap<Digest, Code>,
    refresh_tokens: ExpiringMap<Digest, Refresh>,
    families: u64,
}

/// What was approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) client: String,
    pub(super) subject: String,
    pub(super) scopes: Vec<String>,
    pub(super) resource: String,
    /// All that comes of one approval, so that all of it can be taken back.
    pub(super) family: u64,
}

/// What a code is bound to.
pub(super) struct Binding {
    pub(super) challenge: String,
    /// As the authorization request named it, if it did.
    pub(super) redirect_uri: Option<String>,
}

struct Code {
    grant: Grant,
    binding: Binding,
    usage: Use,
}

struct Refresh {
    grant: Grant,
    usage: Use,
}

/// What is spent is kept until it expires: that someone comes back with it says that it was stolen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Fresh,
    Spent,
}

impl Store {
    pub(super) fn new(settings: &Settings) -> Self {
        let limits = settings.limits;
        Self {
            registered: ExpiringMap::new(limits.clients, REGISTRATION),
            documented: ExpiringMap::new(limits.clients, DOCUMENT),
            codes: ExpiringMap::new(limits.codes, settings.code_lifetime),
            refresh_tokens: ExpiringMap::new(limits.refresh_tokens, settings.refresh_lifetime),
            families: 0,
        }
    }

    /// The number of a new family.
    pub(super) fn family(&mut self) -> u64 {
        self.families += 1;
        self.families
    }

    pub(super) fn give_code(&mut self, grant: Grant, binding: Binding) -> Result<String, Refusal> {
        let code = random()?;
        let kept = Code { grant, binding, usage: Use::Fresh };
        self.codes.put(Digest::of(&code), kept, Instant::now());
        Ok(code)
    }

    /// Takes a code if it is this client's and `fits`. Shown once, by any client, it works no more.
    pub(super) fn take_code(
        &mut self,
        code: &str,
        client: &str,
        fits: impl FnOnce(&Binding) -> Result<(), Refusal>,
    ) -> Result<Grant, Refusal> {
        let unknown = Refusal::invalid_grant("the code is unknown, expired or used");
        let found = self.codes.get(&Digest::of(code), Instant::now()).ok_or(unknown)?;
        let before = std::mem::replace(&mut found.usage, Use::Spent);
        let grant = found.grant.clone();
        if before == Use::Spent {
            self.revoke(grant.family);
            return Err(unknown);
        }
        if grant.client != client {
            return Err(Refusal::invalid_grant("the code was given to another client"));
        }
        fits(&found.binding)?;
        Ok(grant)
    }

    pub(super) fn give_refresh_token(&mut self, grant: Grant) -> Result<String, Refusal> {
        let token = random()?;
        let kept = Refresh { grant, usage: Use::Fresh };
        self.refresh_tokens.put(Digest::of(&token), kept, Instant::now());
        Ok(token)
    }

    /// What a refresh token stands for, if it is this client's.
    pub(super) fn refresh(&mut self, token: &str, client: &str) -> Result<Grant, Refusal> {
        let unknown = Refusal::invalid_grant("the refresh token is unknown, expired or used");
        let found = self.refresh_tokens.get(&Digest::of(token), Instant::now()).ok_or(unknown)?;
        let grant = found.grant.clone();
        if found.usage == Use::Spent {
            self.revoke(grant.family);
            return Err(unknown);
        }
        if grant.client != client {
            return Err(Refusal::invalid_grant("the refresh token was given to another client"));
        }
        Ok(grant)
    }

    /// Makes a refresh token worthless, in favour of its successor.
    pub(super) fn spend(&mut self, token: &str) {
        if let Some(found) = self.refresh_tokens.get(&Digest::of(token), Instant::now()) {
            found.usage = Use::Spent;
        }
    }

    /// Two have shown the same secret, and one of them has stolen it: from now on nothing is given for it.
    fn revoke(&mut self, family: u64) {
        for refresh in self.refresh_tokens.each().filter(|refresh| refresh.grant.family == family) {
            refresh.usage = Use::Spent;
        }
    }
}

const REGISTRATION: Duration = Duration::from_secs(24 * 60 * 60);
const DOCUMENT: Duration = Duration::from_secs(5 * 60);
