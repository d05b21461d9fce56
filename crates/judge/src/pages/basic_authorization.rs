//! The requirements of `basic/authorization`, how each is judged, and the mutants that prove it.

mod overview;
mod security_considerations;
mod shared;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/authorization",
    why: "Whoever gets hold of a token acts in a user's name: each step of obtaining, carrying and checking one is a place to lose it.",
    requirements: &[
        &overview::M031,
        &overview::M034,
        &overview::M035,
        &overview::M291,
        &overview::M292,
        &overview::M293,
        &security_considerations::M297,
        &security_considerations::M298,
        &security_considerations::M299,
        &security_considerations::M300,
        &security_considerations::M303,
        &security_considerations::M304,
        &security_considerations::M305,
        &security_considerations::M306,
        &security_considerations::M307,
        &security_considerations::M308,
        &overview::M312,
        &security_considerations::M314,
        &security_considerations::M322,
        &security_considerations::S010,
        &overview::S011,
        &security_considerations::S012,
        &security_considerations::S145,
        &security_considerations::S146,
        &security_considerations::S147,
        &security_considerations::S148,
        &security_considerations::S158,
        &overview::A093,
    ],
};
