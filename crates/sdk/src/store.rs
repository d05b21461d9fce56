//! What a server remembers between requests, behind traits so that several servers can remember it together.
//!
//! [`Bus`] carries what servers have to tell each other. [`SessionStore`] keeps legacy HTTP sessions, [`EventLog`] what was sent on their streams (for `Last-Event-ID`), [`TaskStore`] tasks of
//! both wire kinds. Each has an implementation in memory; `store::contract` (feature `test-util`) is what any
//! other has to keep. A modern call that makes no task touches none of them.
//!
//! Whatever is not there, not there any more, or another principal's gets one and the same answer: [`StoreError::Unknown`].

mod bus;
#[cfg(any(test, feature = "test-util"))]
pub mod contract;
mod error;
mod event_id;
mod event_log;
mod lock;
mod sessions;
mod size;
mod tasks;
mod timestamp;

pub(crate) use self::tasks::experiment;
pub use self::{
    bus::{Addressee, Bus, BusSettings, Letters, Listening, MemoryBus, NewsMark, ServerNumber},
    error::{Cap, StoreError, What},
    event_id::{BadEventId, EventId, StreamNumber},
    event_log::{
        Event, EventLog, EventLogSettings, MemoryEventLog, Replay, StreamEnd, StreamKey, StreamKind,
    },
    sessions::{MemorySessionStore, Phase, Session, SessionRecord, SessionSettings, SessionStore},
    tasks::{
        Lease, MemoryTaskStore, TaskKey, TaskOutcome, TaskPage, TaskRecord, TaskSettings, TaskStore,
    },
    timestamp::Timestamp,
};
pub use crate::{
    caller::Principal,
    ids::{BadId, MAX_ID_LENGTH, NoRandomness, SessionId, TaskId},
};
