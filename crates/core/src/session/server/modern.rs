//! Requests that stand for themselves.

use super::{Offer, Refusal, running::InFlight, shortened};
use crate::{
    json::OrderedMap,
    revision::{Era, RequestMethod, Revision, Rules, TaskStyle},
    session::Declared,
    types::{InputRequiredResult, RequestMeta, meta_key},
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
        Err(error) => Err((
            rules,
            Refusal::BadParams(format!("`{}`: {error}", meta_key::CLIENT_CAPABILITIES)),
        )),
    }
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
