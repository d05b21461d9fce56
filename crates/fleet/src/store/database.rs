//! One way to ask two databases. Statements are written for both: parameters are `?1`, types are integers, texts and bytes.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use super::postgres::Postgres;

/// An open connection.
#[derive(Debug)]
pub(super) enum Database {
    Postgres(Postgres),
    Sqlite(rusqlite::Connection),
}

/// Why a database did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    #[error("{0}")]
    Gone(String),
    /// The connection broke within a change, which is therefore not made.
    #[error("the connection broke")]
    Lost,
    #[error("{}", super::postgres::words(.0))]
    Postgres(#[from] ::postgres::Error),
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    #[error("column {0} has no such value")]
    Unfit(usize),
}

/// What goes in, and what comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Bytes(Vec<u8>),
    Integer(i64),
    Null,
    Text(String),
}

#[derive(Clone, Debug)]
pub(super) struct Row(pub(super) Vec<Value>);

/// Values in the order of a statement's parameters.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::store::database::Value::from($value.to_owned())),*] };
}
pub(super) use values;

impl Database {
    /// How many rows it changed.
    pub(super) fn execute(&self, statement: &str, given: &[Value]) -> Result<usize, Failed> {
        match self {
            Self::Postgres(it) => it.execute(statement, given),
            Self::Sqlite(it) => {
                Ok(it.prepare_cached(statement)?.execute(rusqlite::params_from_iter(given))?)
            }
        }
    }

    pub(super) fn query<T>(
        &self,
        statement: &str,
        given: &[Value],
        read: impl FnMut(&Row) -> Result<T, Failed>,
    ) -> Result<Vec<T>, Failed> {
        let rows = match self {
            Self::Postgres(it) => it.query(statement, given)?,
            Self::Sqlite(it) => rows_of_sqlite(it, statement, given)?,
        };
        rows.iter().map(read).collect()
    }

    /// The first row, if there is one.
    pub(super) fn one<T>(
        &self,
        statement: &str,
        given: &[Value],
        read: impl FnMut(&Row) -> Result<T, Failed>,
    ) -> Result<Option<T>, Failed> {
        Ok(self.query(statement, given, read)?.into_iter().next())
    }

    /// The number in a row that is always there.
    pub(super) fn number<T: Cell>(&self, statement: &str, given: &[Value]) -> Result<T, Failed> {
        self.one(statement, given, |row| row.get(0))?.ok_or(Failed::Unfit(0))
    }

    /// Several statements without parameters.
    pub(super) fn batch(&self, statements: &str) -> Result<(), Failed> {
        match self {
            Self::Postgres(it) => it.batch(statements),
            Self::Sqlite(it) => Ok(it.execute_batch(statements)?),
        }
    }

    /// Makes a change as a whole, or not at all. It is made again from the start if the connection breaks before the end.
    pub(super) fn change<T>(
        &self,
        write: impl Fn(&Self) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let begin = match self {
            Self::Postgres(_) => "BEGIN",
            // Waits here, and not in the middle.
            Self::Sqlite(_) => "BEGIN IMMEDIATE",
        };
        loop {
            self.batch(begin)?;
            let written = write(self).and_then(|it| self.batch("COMMIT").map(|()| it));
            match written {
                Err(Failed::Lost) => {}
                Err(why) => {
                    let _undone = self.batch("ROLLBACK");
                    return Err(why);
                }
                Ok(it) => return Ok(it),
            }
        }
    }

    /// What keeps others from changing the chosen rows of a table until the change is made, and makes `claim` pass over those that are kept.
    pub(super) fn locks(&self) -> Locks {
        match self {
            Self::Postgres(_) => {
                Locks { rows: "FOR UPDATE", others: "FOR UPDATE OF job SKIP LOCKED" }
            }
            Self::Sqlite(_) => Locks { rows: "", others: "" },
        }
    }

    /// Milliseconds since 1970, by the clock that all who share the database go by.
    pub(super) fn now(&self) -> Result<i64, Failed> {
        match self {
            Self::Postgres(_) => self.number(
                "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
                values![],
            ),
            Self::Sqlite(_) => Ok(crate::time::now()),
        }
    }
}

/// `SQLite` has one lock for the whole file, so that these are empty.
pub(super) struct Locks {
    pub(super) rows: &'static str,
    pub(super) others: &'static str,
}

fn rows_of_sqlite(
    connection: &rusqlite::Connection,
    statement: &str,
    given: &[Value],
) -> Result<Vec<Row>, Failed> {
    let mut statement = connection.prepare_cached(statement)?;
    let columns = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(given))?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let cells = (0..columns).map(|at| row.get(at)).collect::<Result<_, _>>()?;
        all.push(Row(cells));
    }
    Ok(all)
}

impl Row {
    pub(super) fn get<T: Cell>(&self, at: usize) -> Result<T, Failed> {
        self.0.get(at).and_then(T::of).ok_or(Failed::Unfit(at))
    }
}

/// What a cell can be read as.
pub(super) trait Cell: Sized {
    fn of(value: &Value) -> Option<Self>;
}

impl Cell for i64 {
    fn of(value: &Value) -> Option<Self> {
        if let Value::Integer(it) = value { Some(*it) } else { None }
    }
}

impl Cell for u32 {
    fn of(value: &Value) -> Option<Self> {
        i64::of(value)?.try_into().ok()
    }
}

impl Cell for bool {
    fn of(value: &Value) -> Option<Self> {
        Some(i64::of(value)? != 0)
    }
}

impl Cell for String {
    fn of(value: &Value) -> Option<Self> {
        if let Value::Text(it) = value { Some(it.clone()) } else { None }
    }
}

impl Cell for Vec<u8> {
    fn of(value: &Value) -> Option<Self> {
        if let Value::Bytes(it) = value { Some(it.clone()) } else { None }
    }
}

impl<T: Cell> Cell for Option<T> {
    fn of(value: &Value) -> Option<Self> {
        if *value == Value::Null { Some(None) } else { T::of(value).map(Some) }
    }
}

impl From<i64> for Value {
    fn from(it: i64) -> Self {
        Self::Integer(it)
    }
}

impl From<u32> for Value {
    fn from(it: u32) -> Self {
        Self::Integer(it.into())
    }
}

impl From<&str> for Value {
    fn from(it: &str) -> Self {
        Self::Text(it.to_owned())
    }
}

impl From<String> for Value {
    fn from(it: String) -> Self {
        Self::Text(it)
    }
}

impl From<Vec<u8>> for Value {
    fn from(it: Vec<u8>) -> Self {
        Self::Bytes(it)
    }
}

impl<T> From<Option<T>> for Value
where
    Self: From<T>,
{
    fn from(it: Option<T>) -> Self {
        it.map_or(Self::Null, Self::from)
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Bytes(it) => ValueRef::Blob(it),
            Self::Integer(it) => ValueRef::Integer(*it),
            Self::Null => ValueRef::Null,
            Self::Text(it) => ValueRef::Text(it.as_bytes()),
        }))
    }
}

impl FromSql for Value {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(match value {
            ValueRef::Blob(it) => Self::Bytes(it.to_vec()),
            ValueRef::Integer(it) => Self::Integer(it),
            ValueRef::Null => Self::Null,
            ValueRef::Text(it) => Self::Text(String::from_utf8_lossy(it).into_owned()),
            ValueRef::Real(_) => return Err(FromSqlError::InvalidType),
        })
    }
}
