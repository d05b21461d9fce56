//! What a server has that its handlers share.

use std::{
    any::{Any, TypeId, type_name},
    ops::Deref,
    sync::Arc,
};

use super::{Error, FromRequest, RequestParts};

/// A parameter of a handler: what the server was given with [`ServerBuilder::state`](super::ServerBuilder::state).
///
/// A server without such a state is not built: the error names the handler and the type.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use proofmark_sdk::server::{Server, State};
///
/// #[derive(Default)]
/// struct Counter(AtomicU64);
///
/// async fn count(State(counter): State<Counter>) -> u64 {
///     counter.0.fetch_add(1, Ordering::Relaxed)
/// }
///
/// let server = Server::builder("counter", "1.0.0").state(Counter::default()).tool("count", "Counts", count).build();
/// # assert!(server.is_ok());
/// # assert!(Server::builder("counter", "1.0.0").tool("count", "Counts", count).build().is_err());
/// ```
#[derive(Debug)]
pub struct State<T>(pub Arc<T>);

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Send + Sync + 'static> FromRequest for State<T> {
    fn from_request(request: &RequestParts<'_>) -> Result<Self, Error> {
        let state = request.state::<T>();
        let missing = || Error::text(format!("the server has no state {}", type_name::<T>()));
        state.map(State).ok_or_else(missing)
    }

    fn needs(needs: &mut Needs) {
        needs.0.push(Need { of: TypeId::of::<T>(), name: type_name::<T>() });
    }
}

/// The states of one server, one for each type.
#[derive(Clone, Default)]
pub(crate) struct States(Vec<Kept>);

#[derive(Clone)]
struct Kept {
    of: TypeId,
    name: &'static str,
    state: Arc<dyn Any + Send + Sync>,
}

impl States {
    /// Puts a state in the place of another one of its type.
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, state: Arc<T>) {
        let kept = Kept { of: TypeId::of::<T>(), name: type_name::<T>(), state };
        self.0.retain(|other| other.of != kept.of);
        self.0.push(kept);
    }

    /// Adds those of another server; the name of the first type that both have, if there is one.
    pub(crate) fn extend(&mut self, others: Self) -> Option<&'static str> {
        let taken = others.0.iter().find(|other| self.0.iter().any(|kept| kept.of == other.of));
        let taken = taken.map(|other| other.name);
        self.0.extend(others.0);
        taken
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let kept = self.0.iter().find(|kept| kept.of == TypeId::of::<T>())?;
        Arc::clone(&kept.state).downcast().ok()
    }

    /// The name of the first type that is needed and not there.
    pub(crate) fn missing(&self, needs: &Needs) -> Option<&'static str> {
        let there = |need: &&Need| self.0.iter().all(|kept| kept.of != need.of);
        needs.0.iter().find(there).map(|need| need.name)
    }
}

/// The states that a handler takes.
#[derive(Clone, Debug, Default)]
pub struct Needs(Vec<Need>);

#[derive(Clone, Debug)]
struct Need {
    of: TypeId,
    name: &'static str,
}
