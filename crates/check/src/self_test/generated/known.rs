//! What is known to stay missed, each with its reason. A row that excuses nothing fails a whole run.

/// Variations that no requirement can be blamed for.
pub(super) struct Known {
    /// A pattern for the label of the variation; `*` stands for anything.
    pub(super) label: &'static str,
    pub(super) reason: &'static str,
}

pub(super) const KNOWN: &[Known] = &[
    Known {
        label: "params * | notifications/tasks | 2026-07-28 over stdio (server)",
        reason: "the table of shapes has the methods of the core, and this one is of an extension",
    },
    Known {
        label: "a body that is a list | result of initialize | * over http (server)",
        reason: NO_MCP,
    },
    Known {
        label: "a body that is a list | result of server/discover | * over http (server)",
        reason: NO_MCP,
    },
    Known {
        label: "a body that is no JSON | result of initialize | * over http (server)",
        reason: NO_MCP,
    },
    Known {
        label: "a body that is no JSON | result of server/discover | * over http (server)",
        reason: NO_MCP,
    },
    Known {
        label: "emptied | token response /access_token | * over http (authorization server)",
        reason: "tokens are never recorded: an empty one looks like any other",
    },
];

const NO_MCP: &str =
    "nothing that it says resembles MCP: the run ends with a diagnosis that shows what it said";

impl Known {
    pub(super) fn covers(&self, label: &str) -> bool {
        let mut pieces = self.label.split('*');
        let Some(mut rest) = label.strip_prefix(pieces.next().unwrap_or_default()) else {
            return false;
        };
        let pieces: Vec<&str> = pieces.collect();
        let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
        for piece in middle {
            let Some(at) = rest.find(piece) else { return false };
            rest = &rest[at + piece.len()..];
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        let known = Known { label: "dropped | *mimeType | * over stdio*", reason: "" };
        assert!(known.covers("dropped | result of a /mimeType | 2025-06-18 over stdio (server)"));
        assert!(!known.covers("dropped | result of a /name | 2025-06-18 over stdio (server)"));
        assert!(!known.covers("null | result of a /mimeType | 2025-06-18 over stdio (server)"));
    }
}
