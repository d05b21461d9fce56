//! Makes the requests of flows, within bounds.

use std::{
    error::Error,
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::Request;
use http_body_util::Full;
use hyper_util::{
    client::legacy::{
        Client,
        connect::{HttpConnector, dns::Name},
    },
    rt::TokioExecutor,
};
use tokio::{net::lookup_host, time::timeout};
use tower_service::Service;

use super::{AddressPolicy, Blocked, Fetch, Fetched, NotFetched};
use crate::{
    BoxFuture,
    body::{NotRead, read_whole},
    client::http::{Connector, connector},
};

/// Fetches what its policy lets through. It follows no redirects: a flow does that, after a look.
pub(super) struct Fetcher {
    policy: Arc<AddressPolicy>,
    client: Client<Connector<PolicyResolver>, Full<bytes::Bytes>>,
}

impl Fetcher {
    pub(super) fn new(policy: AddressPolicy) -> Self {
        let policy = Arc::new(policy);
        let mut tcp = HttpConnector::new_with_resolver(PolicyResolver(policy.clone()));
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(TIMEOUT));
        let client = Client::builder(TokioExecutor::new()).build(connector(tcp));
        Self { policy, client }
    }

    pub(super) async fn fetch(&self, fetch: Fetch) -> Result<Fetched, NotFetched> {
        self.policy.check_url(&fetch.url).map_err(NotFetched::Blocked)?;
        timeout(TIMEOUT, self.exchange(fetch)).await.unwrap_or(Err(NotFetched::TimedOut))
    }

    async fn exchange(&self, fetch: Fetch) -> Result<Fetched, NotFetched> {
        let unreachable = |error: &dyn Error| NotFetched::Unreachable(error.to_string());
        let mut request = Request::new(Full::new(fetch.body));
        *request.method_mut() = fetch.method;
        *request.uri_mut() = fetch.url.as_str().parse().map_err(|error| unreachable(&error))?;
        *request.headers_mut() = fetch.headers;
        let response = self.client.request(request).await.map_err(|error| not_fetched(&error))?;
        let (head, body) = response.into_parts();
        let body = read_whole(body, LARGEST, |_| Ok(())).await.map_err(|error| match error {
            NotRead::Broken(error) => unreachable(&error),
            NotRead::NoRoom | NotRead::TooLarge => NotFetched::TooLarge { limit: LARGEST },
        })?;
        Ok(Fetched { status: head.status, headers: head.headers, body })
    }
}

/// Resolves names, and keeps to itself what the policy does not admit. Connections are made to these very addresses.
#[derive(Clone)]
struct PolicyResolver(Arc<AddressPolicy>);

impl Service<Name> for PolicyResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let policy = self.0.clone();
        Box::pin(async move {
            let all = lookup_host((name.as_str(), 0)).await?;
            let (good, bad): (Vec<_>, Vec<_>) =
                all.partition(|address| policy.admits(name.as_str(), address.ip()));
            match bad.first() {
                Some(bad) if good.is_empty() => Err(io::Error::other(NotAdmitted(bad.ip()))),
                _ => Ok(good.into_iter()),
            }
        })
    }
}

#[derive(Debug, thiserror::Error)]
#[error("it resolves to {0}")]
struct NotAdmitted(IpAddr);

/// The innermost cause says most.
fn not_fetched(error: &(dyn Error + 'static)) -> NotFetched {
    let mut cause = error;
    loop {
        let inside = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(NotAdmitted(address)) = inside.and_then(|error| error.downcast_ref()) {
            return NotFetched::Blocked(Blocked::Address(*address));
        }
        match cause.source() {
            Some(source) => cause = source,
            None => return NotFetched::Unreachable(cause.to_string()),
        }
    }
}

const TIMEOUT: Duration = Duration::from_secs(15);
/// Of an answer, in bytes.
const LARGEST: usize = 1024 * 1024;

#[cfg(test)]
mod tests;
