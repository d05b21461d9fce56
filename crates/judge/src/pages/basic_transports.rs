//! The requirements of `basic/transports`, how each is judged, and the mutants that prove it.

mod listening_for_messages_from_the_server;
mod multiple_connections;
mod protocol_version_header;
mod resumability_and_redelivery;
mod sending_messages_to_the_server;
mod session_management;
mod shared;
mod streamable_http;

use crate::requirement::Page;

pub(super) const PAGE: Page = Page {
    name: "basic/transports",
    why: "The transport decides where a message begins and ends and whom it belongs to; a mistake here breaks everything above it.",
    requirements: &[
        &streamable_http::M018,
        &sending_messages_to_the_server::M021,
        &listening_for_messages_from_the_server::M024,
        &listening_for_messages_from_the_server::M025,
        &listening_for_messages_from_the_server::M026,
        &multiple_connections::M027,
        &session_management::M028,
        &session_management::M029,
        &session_management::M155,
        &resumability_and_redelivery::M166,
        &resumability_and_redelivery::M168,
        &resumability_and_redelivery::M169,
        &resumability_and_redelivery::M170,
        &resumability_and_redelivery::M171,
        &resumability_and_redelivery::M172,
        &sending_messages_to_the_server::M175,
        &resumability_and_redelivery::M176,
        &resumability_and_redelivery::M177,
        &session_management::M178,
        &session_management::M179,
        &protocol_version_header::M180,
        &protocol_version_header::M181,
        &sending_messages_to_the_server::M182,
        &session_management::M183,
        &sending_messages_to_the_server::S002,
        &sending_messages_to_the_server::S003,
        &listening_for_messages_from_the_server::S004,
        &session_management::S005,
        &session_management::S006,
        &session_management::S007,
        &protocol_version_header::S061,
        &resumability_and_redelivery::S069,
        &resumability_and_redelivery::S071,
        &sending_messages_to_the_server::S075,
        &sending_messages_to_the_server::S076,
        &sending_messages_to_the_server::S077,
        &sending_messages_to_the_server::S078,
        &resumability_and_redelivery::S079,
        &protocol_version_header::S080,
        &protocol_version_header::S081,
        &sending_messages_to_the_server::S082,
        &sending_messages_to_the_server::S083,
        &listening_for_messages_from_the_server::S084,
        &resumability_and_redelivery::S085,
        &sending_messages_to_the_server::A005,
        &listening_for_messages_from_the_server::A006,
        &listening_for_messages_from_the_server::A007,
        &listening_for_messages_from_the_server::A008,
        &listening_for_messages_from_the_server::A009,
        &multiple_connections::A010,
        &resumability_and_redelivery::A011,
        &resumability_and_redelivery::A012,
        &session_management::A013,
        &session_management::A014,
        &session_management::A015,
        &sending_messages_to_the_server::A053,
        &listening_for_messages_from_the_server::A054,
        &sending_messages_to_the_server::A055,
        &multiple_connections::A056,
        &sending_messages_to_the_server::A057,
        &sending_messages_to_the_server::A058,
    ],
};
