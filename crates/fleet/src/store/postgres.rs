//! `PostgreSQL`, on a thread of its own, so that it can be asked from within tasks.
//!
//! A connection that breaks is made again for a while: reads are asked again, and changes are made again from their start.

use std::{
    collections::HashMap,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use ::postgres::{
    Client, Config, Error, NoTls, Statement,
    config::SslMode,
    error::SqlState,
    types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

use super::database::{Failed, Row, Value};

/// Ends its thread and the connection when it is dropped.
#[derive(Debug)]
pub(super) struct Postgres {
    asks: mpsc::Sender<Ask>,
}

type Ask = Box<dyn FnOnce(&mut Link) + Send>;

struct Link {
    config: Config,
    client: Option<Client>,
    statements: HashMap<String, Statement>,
    /// Between `BEGIN` and the end of it.
    is_changing: bool,
    /// How long to try when there is no connection.
    patience: Duration,
}

impl Postgres {
    /// Connects, or says at once why that cannot be.
    pub(super) fn open(url: &str) -> Result<Self, Failed> {
        let mut config: Config = url.parse()?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(Failed::Gone(
                "sslmode=require: this program does not speak TLS to PostgreSQL; use a tunnel"
                    .into(),
            ));
        }
        if config.get_password().is_none()
            && let Ok(password) = std::env::var("PGPASSWORD")
        {
            config.password(password);
        }
        if config.get_application_name().is_none() {
            config.application_name("proofmark fleet");
        }
        config.connect_timeout(CONNECT);
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
        let mut link = Link {
            config,
            client: None,
            statements: HashMap::new(),
            is_changing: false,
            patience: Duration::ZERO,
        };
        let (asks, asked) = mpsc::channel::<Ask>();
        thread::Builder::new()
            .name("postgres".to_owned())
            .spawn(move || {
                for ask in asked {
                    ask(&mut link);
                }
            })
            .map_err(|error| Failed::Gone(error.to_string()))?;
        let opened = Self { asks };
        opened.with(|link| {
            link.connect()?;
            link.patience = PATIENCE;
            Ok(())
        })?;
        Ok(opened)
    }

    pub(super) fn execute(&self, statement: &str, given: &[Value]) -> Result<usize, Failed> {
        let (text, given) = (dollars(statement), given.to_vec());
        self.with(move |link| {
            link.ask(|client, statements| {
                let statement = prepared(client, statements, &text)?;
                client.execute(&statement, &parameters(&given))
            })
            .map(|rows| usize::try_from(rows).unwrap_or(usize::MAX))
        })
    }

    pub(super) fn query(&self, statement: &str, given: &[Value]) -> Result<Vec<Row>, Failed> {
        let (text, given) = (dollars(statement), given.to_vec());
        self.with(move |link| {
            let rows = link.ask(|client, statements| {
                let statement = prepared(client, statements, &text)?;
                client.query(&statement, &parameters(&given))
            })?;
            let row = |row: &::postgres::Row| {
                let cells = (0..row.len()).map(|at| row.try_get(at)).collect::<Result<_, _>>()?;
                Ok(Row(cells))
            };
            rows.iter().map(row).collect()
        })
    }

    pub(super) fn batch(&self, statements: &str) -> Result<(), Failed> {
        let text = statements.to_owned();
        self.with(move |link| {
            link.ask(|client, _| client.batch_execute(&text))?;
            match text.as_str() {
                "BEGIN" => link.is_changing = true,
                "COMMIT" | "ROLLBACK" => link.is_changing = false,
                _ => {}
            }
            Ok(())
        })
    }

    fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Link) -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, Failed> {
        let (tell, told) = mpsc::sync_channel(1);
        let ask: Ask = Box::new(move |link| {
            let _unheard = tell.send(work(link));
        });
        let gone = || Failed::Gone("its thread is gone".to_owned());
        self.asks.send(ask).map_err(|_| gone())?;
        told.recv().map_err(|_| gone())?
    }
}

impl Link {
    fn ask<T>(
        &mut self,
        work: impl Fn(&mut Client, &mut HashMap<String, Statement>) -> Result<T, Error>,
    ) -> Result<T, Failed> {
        loop {
            self.connect()?;
            let Some(client) = &mut self.client else { continue };
            match work(client, &mut self.statements) {
                Err(error) if client.is_closed() || is_lost(&error) => {
                    self.client = None;
                    self.statements.clear();
                    if std::mem::take(&mut self.is_changing) {
                        return Err(Failed::Lost);
                    }
                }
                done => return done.map_err(Failed::from),
            }
        }
    }

    /// Waits for a database that is gone, for a while.
    fn connect(&mut self) -> Result<(), Failed> {
        let began = Instant::now();
        while self.client.is_none() {
            match self.config.connect(NoTls) {
                Ok(client) => self.client = Some(client),
                Err(error) if began.elapsed() < self.patience && is_temporary(&error) => {
                    thread::sleep(PAUSE);
                }
                Err(error) => return Err(Failed::Gone(words(&error))),
            }
        }
        Ok(())
    }
}

/// What went wrong, with its cause, which is not in the error's own words.
pub(super) fn words(error: &Error) -> String {
    if let Some(told) = error.as_db_error() {
        return told.message().to_owned();
    }
    let cause = std::error::Error::source(error).map(|it| format!(": {it}")).unwrap_or_default();
    format!("{error}{cause}")
}

fn is_lost(error: &Error) -> bool {
    let ends = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::CONNECTION_FAILURE,
    ];
    error.is_closed() || error.code().is_some_and(|code| ends.contains(code))
}

/// A wrong password does not become right.
fn is_temporary(error: &Error) -> bool {
    error.code().is_none_or(|code| {
        [SqlState::CANNOT_CONNECT_NOW, SqlState::TOO_MANY_CONNECTIONS].contains(code)
    })
}

fn dollars(statement: &str) -> String {
    statement.replace('?', "$")
}

fn prepared(
    client: &mut Client,
    statements: &mut HashMap<String, Statement>,
    text: &str,
) -> Result<Statement, Error> {
    if let Some(known) = statements.get(text) {
        return Ok(known.clone());
    }
    let statement = client.prepare(text)?;
    statements.insert(text.to_owned(), statement.clone());
    Ok(statement)
}

fn parameters(given: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    given.iter().map(|it| it as &(dyn ToSql + Sync)).collect()
}

type Odd = Box<dyn std::error::Error + Sync + Send>;

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Odd> {
        match self {
            Self::Bytes(it) => it.to_sql(kind, out),
            Self::Integer(it) if *kind == Type::INT4 => i32::try_from(*it)?.to_sql(kind, out),
            Self::Integer(it) => it.to_sql(kind, out),
            Self::Null => Ok(IsNull::Yes),
            Self::Text(it) => it.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::BYTEA, Type::INT4, Type::INT8, Type::TEXT].contains(kind)
    }

    to_sql_checked!();
}

impl<'r> FromSql<'r> for Value {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Result<Self, Odd> {
        Ok(match *kind {
            Type::BOOL => Self::Integer(bool::from_sql(kind, raw)?.into()),
            Type::BYTEA => Self::Bytes(Vec::from_sql(kind, raw)?),
            Type::INT4 => Self::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => Self::Integer(i64::from_sql(kind, raw)?),
            _ => Self::Text(String::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Odd> {
        Ok(Self::Null)
    }

    fn accepts(kind: &Type) -> bool {
        [Type::BOOL, Type::BYTEA, Type::INT4, Type::INT8, Type::TEXT].contains(kind)
    }
}

const CONNECT: Duration = Duration::from_secs(5);
/// After which a connection that answers nothing is given up.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a database that is gone is waited for.
const PATIENCE: Duration = Duration::from_secs(180);
const PAUSE: Duration = Duration::from_millis(500);
