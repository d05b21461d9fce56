//! What reading a finding against the page of the specification came to.

use std::collections::BTreeSet;

/// Why what these peers break is truly broken.
struct Read {
    /// Files of pages.
    peers: &'static [&'static str],
    requirement: &'static str,
    because: &'static str,
}

/// The sentence for one finding.
pub(super) fn because(peer: &str, requirement: &str) -> Option<&'static str> {
    let read = READ.iter().find(|it| it.requirement == requirement && it.peers.contains(&peer))?;
    Some(read.because)
}

/// What is broken and was not read, and what was read and is not broken any more.
pub(super) fn amiss(peer: &str, broken: &BTreeSet<&str>) -> Vec<String> {
    let unread = broken.iter().filter(|id| because(peer, id).is_none());
    let unread = unread.map(|id| format!("{peer} breaks {id}, and nobody has said why that is so"));
    let mended = READ.iter().filter(|it| it.peers.contains(&peer));
    let mended = mended.filter(|it| !broken.contains(it.requirement));
    unread.chain(mended.map(|it| format!("{peer} keeps {} now", it.requirement))).collect()
}

const READ: &[Read] = &[
    Read {
        peers: &["python-sdk"],
        requirement: "M006",
        because: "The id is of the server's own making: it could not read one, and then there is none to repeat.",
    },
    Read {
        peers: &[
            "fastmcp",
            "python-sdk",
            "python-sdk-2",
            "rmcp",
            "server-everything",
            "server-filesystem",
            "server-memory",
            "typescript-sdk",
            "typescript-sdk-2",
        ],
        requirement: "M011",
        because: "It agreed to the one revision in which batches MUST be received, and takes none.",
    },
    Read {
        peers: &["server-everything"],
        requirement: "M069",
        because: "Links to resources are content since a later revision than the one it agreed to.",
    },
    Read {
        peers: &["python-sdk"],
        requirement: "M087",
        because: "What its logging helpers send goes out although the server never declares logging.",
    },
    Read {
        peers: &["rmcp-client"],
        requirement: "M145",
        because: "The version does not exist, and the client goes on with it, even in its headers.",
    },
    Read {
        peers: &["typescript-sdk-2"],
        requirement: "M147",
        because: "server/discover names a version as every request does, and no page exempts it; on pipes nobody looks at it.",
    },
    Read {
        peers: &["fastmcp", "rmcp", "server-everything", "typescript-sdk", "typescript-sdk-2"],
        requirement: "M165",
        because: "Origin is compared with nothing, unless whoever uses the SDK asks for it.",
    },
    Read {
        peers: &["server-everything"],
        requirement: "M166",
        because: "The stream opens for any Origin, and the older transport demands the same caution.",
    },
    Read {
        peers: &["fastmcp", "rmcp", "server-everything", "typescript-sdk", "typescript-sdk-2"],
        requirement: "M167",
        because: "It is the same request as above: a foreign Origin is served.",
    },
    Read {
        peers: &["rmcp-client"],
        requirement: "M174",
        because: "The stream has a field that nobody knows (`unknown: field`), as the format of event streams allows; its reader gives the stream up there, though such fields are to be passed over.",
    },
    Read {
        peers: &["rmcp"],
        requirement: "M176",
        because: "The stream of initialize and the standing stream of the same session both begin with an event whose id is 0.",
    },
    Read {
        peers: &["server-everything"],
        requirement: "M178",
        because: "It was a session until DELETE, and 400 is for requests without a session id.",
    },
    Read {
        peers: &["python-client", "python-client-2", "typescript-client", "typescript-client-2"],
        requirement: "M179",
        because: "The session is gone, which 404 says, and the client keeps sending its id until it ends.",
    },
    Read {
        peers: &["fastmcp", "python-sdk-2"],
        requirement: "M191",
        because: "The header alone decides who gets the request, so that a contradiction ends with those who serve the older era and miss a session; the code for it is another one.",
    },
    Read {
        peers: &["fastmcp", "python-sdk-2"],
        requirement: "M219",
        because: "It is the same contradiction between header and body as above.",
    },
    Read {
        peers: &["python-client-2", "rmcp-client", "typescript-client-2"],
        requirement: "M233",
        because: "The tool says that it wants to be called as a task, and the SDK sends a plain call all the same.",
    },
    Read {
        peers: &["server-everything"],
        requirement: "M234",
        because: "The code is in the text of a tool's result, where no client looks for it; it has to be an error.",
    },
    Read {
        peers: &["server-filesystem", "server-memory", "typescript-sdk"],
        requirement: "M237",
        because: "Whoever does not declare tasks is to ignore `task` and to answer as usual, and a ping has no reason to fail.",
    },
    Read {
        peers: &["python-client", "typescript-client"],
        requirement: "M237",
        because: "Whoever does not declare tasks for a kind of request is to ignore `task` and to answer as usual.",
    },
    Read {
        peers: &["server-everything"],
        requirement: "M251",
        because: "taskId is the only source of truth there, and the metadata beside it was to be ignored.",
    },
    Read {
        peers: &[
            "python-client",
            "python-client-2",
            "rmcp-client",
            "typescript-client",
            "typescript-client-2",
        ],
        requirement: "M385",
        because: "The SDK does not compare the request with what was declared, and hands it on to a handler that knows nothing of tools.",
    },
    Read {
        peers: &["server-everything"],
        requirement: "M399",
        because: "Choices of several values, and titled ones, came with a later revision than the one it agreed to.",
    },
    Read {
        peers: &["rmcp-client"],
        requirement: "M425",
        because: "Only forms were declared, and the SDK hands a page to visit on to the handler all the same.",
    },
    Read {
        peers: &["server-everything"],
        requirement: "M467",
        because: "Links to resources are content since a later revision than the one it agreed to.",
    },
    Read {
        peers: &["rmcp"],
        requirement: "M515",
        because: "Mcp-Name belongs to three methods, and this is none of them; a method that is not implemented is to be answered 404 and -32601, whatever headers it lacks.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interop::findings::PEERS;

    #[test]
    fn only_peers_that_are_judged_are_written_about() {
        let named = READ.iter().flat_map(|it| it.peers);
        let unknown: Vec<_> =
            named.filter(|name| PEERS.iter().all(|it| it.file != **name)).collect();
        assert_eq!(unknown, Vec::<&&str>::new());
    }

    #[test]
    fn what_nobody_has_read_is_amiss() {
        let broken = BTreeSet::from(["M000"]);
        assert_eq!(
            amiss("nobody", &broken),
            ["nobody breaks M000, and nobody has said why that is so"]
        );
    }
}
