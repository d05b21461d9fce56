//! The folders that a client lets a server see.

use super::base::{META, REQUEST_PARAMS};
use super::blame::{ANSWERS, BASE, REQUESTS};
use super::content::LATER_META;
use super::table::{Object, Shape, TEXT, URI, optional, required};
use proofmark_core::revision::Revision::{V2025_11_25, V2026_07_28};

pub(super) static LIST_REQUEST: Object = Object::new(
    "ListRootsRequest",
    REQUESTS,
    &[
        required("method", Shape::Exactly("roots/list")),
        optional("params", Shape::Object(&REQUEST_PARAMS)).blame(&[BASE]).until(V2025_11_25),
        optional("params", Shape::Object(&INPUT_PARAMS)).blame(&[BASE]).since(V2026_07_28),
    ],
);

static INPUT_PARAMS: Object = Object::new("ListRootsRequest.params", REQUESTS, &[META]);

pub(super) static LIST_RESULT: Object = Object::new(
    "ListRootsResult",
    ANSWERS,
    &[
        META.until(V2025_11_25),
        required("roots", Shape::List(&Shape::Object(&ROOT))).blame(&["M072"]),
    ],
);

static ROOT: Object = Object::new(
    "Root",
    ANSWERS,
    &[required("uri", URI).blame(&["M073"]), optional("name", TEXT), LATER_META],
);
