//! Where the store is: one server, the one that sentinels name, or a cluster.

use redis::{Client, ConnectionInfo, ErrorKind, IntoConnectionInfo, ProtocolVersion, RedisError};

/// Where the store is, as its address says.
#[derive(Clone)]
pub(crate) enum Address {
    One(Client),
    /// Whichever server the sentinels name.
    Sentinels(Sentinels),
    #[cfg(feature = "cluster")]
    Cluster(Vec<ConnectionInfo>),
}

/// Servers that know which one of a group is the primary.
#[derive(Clone)]
pub(crate) struct Sentinels {
    pub(crate) all: Vec<Client>,
    /// What they call the group.
    pub(crate) group: String,
    /// How the primary is spoken to, but for its address.
    pub(crate) primary: ConnectionInfo,
}

impl Address {
    /// `redis://…`, `rediss://…`, `redis+unix://…`; with several hosts, `redis+sentinel://[user:password@]host:port,…/group[/database]`
    /// and `redis+cluster://[user:password@]host:port,…`, or `rediss+…` for both.
    pub(crate) fn parse(text: &str) -> Result<Self, RedisError> {
        if let Some((scheme, rest)) = several(text, "+sentinel://") {
            return Sentinels::parse(scheme, rest).map(Self::Sentinels);
        }
        if let Some((scheme, rest)) = several(text, "+cluster://") {
            return cluster(scheme, rest);
        }
        Client::open(told_of_news(text.into_connection_info()?)).map(Self::One)
    }
}

impl Sentinels {
    fn parse(scheme: &str, rest: &str) -> Result<Self, RedisError> {
        let (hosts, path) = rest.split_once('/').ok_or_else(|| bad("it names no group"))?;
        let (group, database) = path.split_once('/').unwrap_or((path, "0"));
        if group.is_empty() {
            return Err(bad("it names no group"));
        }
        let (login, hosts) = login(hosts);
        // Passwords of the store are not for the sentinels.
        let all = hosts.split(',').map(|host| Client::open(format!("{scheme}://{host}")));
        let all = all.collect::<Result<Vec<_>, _>>()?;
        let primary = format!("{scheme}://{login}localhost/{database}").into_connection_info()?;
        Ok(Self { all, group: group.to_owned(), primary: told_of_news(primary) })
    }

    /// The primary, as the first sentinel says that answers.
    pub(crate) async fn primary(
        &self,
        config: &redis::AsyncConnectionConfig,
    ) -> Result<Client, RedisError> {
        let mut last = bad("it names no sentinels");
        for sentinel in &self.all {
            match self.ask(sentinel, config).await {
                Ok(Some((host, port))) => {
                    let address = match self.primary.addr() {
                        redis::ConnectionAddr::TcpTls { insecure, tls_params, .. } => {
                            let (insecure, tls_params) = (*insecure, tls_params.clone());
                            redis::ConnectionAddr::TcpTls { host, port, insecure, tls_params }
                        }
                        _ => redis::ConnectionAddr::Tcp(host, port),
                    };
                    return Client::open(self.primary.clone().set_addr(address));
                }
                Ok(None) => last = bad("the sentinels do not know the group"),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn ask(
        &self,
        sentinel: &Client,
        config: &redis::AsyncConnectionConfig,
    ) -> Result<Option<(String, u16)>, RedisError> {
        let mut connection = sentinel.get_multiplexed_async_connection_with_config(config).await?;
        let mut ask = redis::cmd("SENTINEL");
        ask.arg("get-master-addr-by-name").arg(&self.group);
        ask.query_async(&mut connection).await
    }
}

#[cfg(feature = "cluster")]
fn cluster(scheme: &str, rest: &str) -> Result<Address, RedisError> {
    let (login, hosts) = login(rest);
    let nodes = hosts.split(',').map(|host| format!("{scheme}://{login}{host}"));
    let nodes = nodes.map(|node| node.into_connection_info().map(told_of_news));
    nodes.collect::<Result<_, _>>().map(Address::Cluster)
}

#[cfg(not(feature = "cluster"))]
fn cluster(_: &str, _: &str) -> Result<Address, RedisError> {
    Err(bad("this program was built without the feature for clusters"))
}

/// The scheme of one server, and what comes after a scheme of several.
fn several<'a>(text: &'a str, kind: &str) -> Option<(&'a str, &'a str)> {
    let (scheme, rest) = text.split_once(kind)?;
    matches!(scheme, "redis" | "rediss").then_some((scheme, rest))
}

/// User and password with the `@` behind them, and the rest.
fn login(text: &str) -> (&str, &str) {
    text.rfind('@').map_or(("", text), |at| text.split_at(at + 1))
}

/// The protocol in which the store can speak of its own accord, on the connection that it is asked on.
fn told_of_news(info: ConnectionInfo) -> ConnectionInfo {
    let redis = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
    info.set_redis_settings(redis)
}

fn bad(why: &'static str) -> RedisError {
    RedisError::from((ErrorKind::InvalidClientConfig, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentinels_are_asked_without_the_password_of_the_store() {
        let address = "redis+sentinel://u:p%40@a:1,b:2/group/3";
        let Ok(Address::Sentinels(sentinels)) = Address::parse(address) else { panic!("refused") };
        assert_eq!((sentinels.all.len(), sentinels.group.as_str()), (2, "group"));
        for sentinel in &sentinels.all {
            assert_eq!(sentinel.get_connection_info().redis_settings().password(), None);
        }
        let primary = sentinels.primary.redis_settings();
        assert_eq!(
            (primary.username(), primary.password(), primary.db()),
            (Some("u"), Some("p@"), 3)
        );
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in
            ["", "http://a", "redis+sentinel://a:1", "redis+sentinel://a:1/", "x+cluster://a"]
        {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn every_node_of_a_cluster_is_spoken_to_in_the_same_way() {
        let Ok(Address::Cluster(nodes)) = Address::parse("redis+cluster://u:p@a:1,b:2") else {
            panic!("refused")
        };
        assert_eq!(nodes.len(), 2);
        assert!(nodes.iter().all(|node| node.redis_settings().username() == Some("u")));
    }
}
