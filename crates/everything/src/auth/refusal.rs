//! Why a client does not get what it asks for, in the words of RFC 6749 and its relatives.

use http::StatusCode;

/// An error answer. `why` is for people, and never repeats what the client sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) error: &'static str,
    pub(super) why: &'static str,
    pub(super) status: StatusCode,
}

impl Refusal {
    pub(super) const fn invalid_client(why: &'static str) -> Self {
        Self { error: "invalid_client", why, status: StatusCode::UNAUTHORIZED }
    }

    pub(super) const fn invalid_client_metadata(why: &'static str) -> Self {
        Self::bad("invalid_client_metadata", why)
    }

    pub(super) const fn invalid_grant(why: &'static str) -> Self {
        Self::bad("invalid_grant", why)
    }

    pub(super) const fn invalid_redirect_uri(why: &'static str) -> Self {
        Self::bad("invalid_redirect_uri", why)
    }

    pub(super) const fn invalid_request(why: &'static str) -> Self {
        Self::bad("invalid_request", why)
    }

    pub(super) const fn invalid_scope(why: &'static str) -> Self {
        Self::bad("invalid_scope", why)
    }

    /// RFC 8707: a resource that is not known here.
    pub(super) const fn invalid_target(why: &'static str) -> Self {
        Self::bad("invalid_target", why)
    }

    /// The machine is to blame.
    pub(super) const fn server_error(why: &'static str) -> Self {
        Self { error: "server_error", why, status: StatusCode::INTERNAL_SERVER_ERROR }
    }

    pub(super) const fn unauthorized_client(why: &'static str) -> Self {
        Self::bad("unauthorized_client", why)
    }

    pub(super) const fn unsupported_grant_type(why: &'static str) -> Self {
        Self::bad("unsupported_grant_type", why)
    }

    pub(super) const fn unsupported_response_type(why: &'static str) -> Self {
        Self::bad("unsupported_response_type", why)
    }

    const fn bad(error: &'static str, why: &'static str) -> Self {
        Self { error, why, status: StatusCode::BAD_REQUEST }
    }
}

impl From<getrandom::Error> for Refusal {
    fn from(_: getrandom::Error) -> Self {
        Self::server_error("the operating system gives no randomness")
    }
}
