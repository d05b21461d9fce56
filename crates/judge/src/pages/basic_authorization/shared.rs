//! What several judges of `basic/authorization` use.

pub(super) const AT_ROOT: &str = "/.well-known/oauth-authorization-server";

pub(super) const NO_FALLBACK: &str = "the client does not use default endpoints";
