//! The requirements of `client/sampling`, how each is judged, and the mutants that prove it.

mod error_handling;
mod security_considerations;
mod shared;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "client/sampling",
    why: "A server borrows the client's model: the user pays for it and answers for what is said, so both sides have to keep the form.",
    requirements: &[
        &security_considerations::M076,
        &security_considerations::M382,
        &security_considerations::M383,
        &security_considerations::M384,
        &security_considerations::M386,
        &security_considerations::M387,
        &security_considerations::M388,
        &security_considerations::M389,
        &security_considerations::M393,
        &error_handling::M394,
        &error_handling::S197,
        &error_handling::S198,
        &error_handling::S200,
        &error_handling::S201,
        &error_handling::S202,
        &error_handling::S203,
        &security_considerations::S204,
        &security_considerations::S205,
        &security_considerations::S206,
        &security_considerations::S207,
        &security_considerations::S208,
        &security_considerations::S209,
        &security_considerations::S211,
        &error_handling::S212,
        &error_handling::A105,
        &error_handling::A108,
        &error_handling::A109,
        &error_handling::A110,
        &error_handling::A111,
    ],
};
