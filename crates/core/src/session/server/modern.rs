//! Requests that stand for themselves.

use super::{Offer, Refusal, running::InFlight, shortened};
use crate::{
    json::OrderedMap,
    revision::{Era, RequestMethod, Revision, Rules, TaskStyle},
    session::Declared,
    types::{ClientRequest, Decoded, InputRequiredResult, RequestMeta, meta_key},
};

/// The revision and capabilities that a request with a revision of its own is judged by.
pub(super) fn admit(
    offer: &Offer,
    version: &str,
    meta: Option<&RequestMeta<'_>>,
) -> Result<(Revision, Declared), (&'static Rules, Refusal)> {
    let spoken =
        |revision: &Revision| revision.era() == Era::Modern && offer.revisions().contains(revision);
    let Some(revision) = version.parse().ok().filter(spoken) else {
        let refusal = Refusal::UnsupportedVersion { requested: shortened(version) };
        return Err((Revision::newest(Era::Modern).rules(), refusal));
    };
    let rules = revision.rules();
    let meta = meta.ok_or((rules, Refusal::MissingMeta(meta_key::CLIENT_CAPABILITIES)))?;
    match meta.decode_client_capabilities() {
        Ok(Some(capabilities)) => Ok((revision, Declared::from(&capabilities))),
        Ok(None) => Err((rules, Refusal::MissingMeta(meta_key::CLIENT_CAPABILITIES))),
        Err(error) => {
            let (key, problem) = (meta_key::CLIENT_CAPABILITIES, error.to_string());
            Err((rules, Refusal::BadMeta { key, problem }))
        }
    }
}

/// Why a server without the legacy era does not serve a request that says nothing about itself.
///
/// A legacy client cannot look for a newer version by itself, so what it tried is answered with the versions that there are.
pub(super) fn unexplained(decoded: Option<&Decoded<'_>>) -> (&'static Rules, Refusal) {
    let refusal = match decoded {
        Some(Ok((ClientRequest::Initialize(params), _))) => {
            Refusal::UnsupportedVersion { requested: shortened(&params.protocol_version) }
        }
        _ => Refusal::MissingMeta(meta_key::PROTOCOL_VERSION),
    };
    (Revision::newest(Era::Modern).rules(), refusal)
}

/// Methods of the tasks extension are only for clients that declare it.
pub(super) fn check_task_capability(
    method: RequestMethod,
    declared: Declared,
    rules: &Rules,
) -> Result<(), Refusal> {
    let extension = rules
        .tasks
        .filter(|tasks| tasks.style == TaskStyle::Extension && tasks.capability_enforced);
    let of_extension = matches!(
        method,
        RequestMethod::TasksGet | RequestMethod::TasksUpdate | RequestMethod::TasksCancel
    );
    if extension.is_some() && of_extension && !declared.tasks_extension {
        return Err(Refusal::MissingTasksExtension);
    }
    Ok(())
}

/// So is the wish to hear of tasks.
pub(super) fn check_task_filter(
    request: &ClientRequest<'_>,
    declared: Declared,
    rules: &Rules,
) -> Result<(), Refusal> {
    let enforced = rules.tasks.is_some_and(|tasks| tasks.capability_enforced);
    match request {
        ClientRequest::Listen(params)
            if enforced && params.notifications.task_ids.is_some() && !declared.tasks_extension =>
        {
            Err(Refusal::MissingTasksExtension)
        }
        _ => Ok(()),
    }
}

/// Whether a request may be answered with these questions.
pub(super) fn check_input_required(
    running: &InFlight,
    result: &InputRequiredResult,
) -> Result<(), Refusal> {
    if !running.revision.rules().may_require_input.contains(running.method) {
        return Err(Refusal::NoInputHere);
    }
    for (_, request) in result.input_requests.iter().flat_map(OrderedMap::iter) {
        let needed = request.needs();
        if !running.declared.capabilities.contains(needed) {
            return Err(Refusal::MissingCapability(needed));
        }
    }
    Ok(())
}
