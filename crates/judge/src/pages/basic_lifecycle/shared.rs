//! What several judges of `basic/lifecycle` use.

pub(super) const NO_HANDSHAKE: &str = "the client never sent initialize";
