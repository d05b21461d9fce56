//! Where the table is not what a schema has, and why; and what a schema has that no message is made of.

/// A place in which the table and a schema differ on purpose.
pub(super) struct Exception {
    pub(super) at: &'static str,
    #[expect(dead_code, reason = "for those who read the table")]
    pub(super) why: &'static str,
}

pub(super) static EXCEPTIONS: &[Exception] = &[
    Exception {
        at: "ElicitResult/content/*",
        why: "a number of a form may have a fraction: the source in TypeScript has number, only what is generated from it has integer",
    },
    Exception {
        at: "JSONRPCError/id",
        why: "JSON-RPC answers what could not be read with the id null, and later revisions leave the id out",
    },
    Exception {
        at: "JSONRPCErrorResponse/id",
        why: "JSON-RPC answers what could not be read with the id null",
    },
    Exception {
        at: "JSONValue",
        why: "null and fractions are values too: the source in TypeScript has them, only what is generated from it has not",
    },
];

/// Definitions that no message is made of, each with what the table has instead.
pub(super) static BASES: &[(&str, &str)] = &[
    ("Annotated", "a base: each annotated object has the member"),
    ("BaseMetadata", "a base: each object has its name and title"),
    ("CacheableResult", "a base: each result has the members"),
    ("ClientResult", "a union of results that are told apart by what was asked"),
    ("Cursor", "written out as a string by the schema itself"),
    ("EmptyResult", "another name of Result"),
    ("EnumSchema", "a union inside another one"),
    ("HeaderMismatchError", "an error without more members"),
    ("Icons", "a base: each object with icons has the member"),
    ("InputResponseRequestParams", "a base: each request that may be tried again has the members"),
    ("InternalError", "an error without more members"),
    ("InvalidParamsError", "an error without more members"),
    ("InvalidRequestError", "an error without more members"),
    ("JSONArray", "part of JSONValue"),
    ("JSONRPCBatchRequest", "a batch is looked at message by message"),
    ("JSONRPCBatchResponse", "a batch is looked at message by message"),
    ("JSONRPCMessage", "a union of envelopes"),
    ("JSONRPCResponse", "since it is a union of envelopes"),
    ("MethodNotFoundError", "an error without more members"),
    ("MultiSelectEnumSchema", "a union inside another one"),
    ("Notification", "a base of all notifications"),
    ("PaginatedRequest", "a base: each request for a page has the params"),
    ("PaginatedResult", "a base: each page has the cursor"),
    ("ParseError", "an error without more members"),
    ("RelatedTaskMetadata", "a value under a key of _meta, which the schema attaches to nothing"),
    ("Request", "a base of all requests"),
    ("ResourceContents", "a base of texts and blobs"),
    ("ResourceRequestParams", "a base of params with a uri"),
    ("Result", "a base of all results, and since there are no empty ones no result of its own"),
    ("ResultType", "written out as a string by the schema itself"),
    ("ServerResult", "a union of results that are told apart by what was asked"),
    ("SingleSelectEnumSchema", "a union inside another one"),
    ("TaskAugmentedRequestParams", "a base of params with a task"),
];
