//! One question of the server: a request without `jsonrpc` and without an id.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};

use crate::{
    json::Raw,
    revision::ClientCapability,
    types::{
        CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ListRootsParams,
        ListRootsResult,
    },
};

/// One question of the server: a request without `jsonrpc` and without an id.
#[derive(Clone, Debug, PartialEq)]
pub enum InputRequest {
    Elicit(ElicitParams),
    ListRoots(Option<ListRootsParams>),
    CreateMessage(Box<CreateMessageParams>),
}

/// The answer to an [`InputRequest`].
#[derive(Clone, Debug, PartialEq)]
pub enum InputResponse {
    Elicit(ElicitResult),
    ListRoots(ListRootsResult),
    CreateMessage(Box<CreateMessageResult>),
}

impl InputRequest {
    pub fn method(&self) -> &'static str {
        match self {
            Self::Elicit(_) => ELICIT,
            Self::ListRoots(_) => LIST_ROOTS,
            Self::CreateMessage(_) => CREATE_MESSAGE,
        }
    }

    /// What the client must have declared before it may be asked.
    pub fn needs(&self) -> ClientCapability {
        match self {
            Self::Elicit(ElicitParams::Form(_)) => ClientCapability::ElicitationForm,
            Self::Elicit(ElicitParams::Url(_)) => ClientCapability::ElicitationUrl,
            Self::ListRoots(_) => ClientCapability::Roots,
            Self::CreateMessage(params) => params.needs(),
        }
    }

    /// Reads `answer` as the answer to this question.
    pub fn read_response(&self, answer: &Raw) -> serde_json::Result<InputResponse> {
        match self {
            Self::Elicit(_) => answer.decode().map(InputResponse::Elicit),
            Self::ListRoots(_) => answer.decode().map(InputResponse::ListRoots),
            Self::CreateMessage(_) => answer.decode().map(InputResponse::CreateMessage),
        }
    }
}

impl Serialize for InputRequest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("method", self.method())?;
        match self {
            Self::Elicit(params) => map.serialize_entry("params", params)?,
            Self::ListRoots(None) => {}
            Self::ListRoots(Some(params)) => map.serialize_entry("params", params)?,
            Self::CreateMessage(params) => map.serialize_entry("params", params)?,
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for InputRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Wire {
            method: String,
            params: Option<Raw>,
        }

        let Wire { method, params } = Wire::deserialize(deserializer)?;
        let required = || params.as_ref().ok_or_else(|| de::Error::missing_field("params"));
        match method.as_str() {
            ELICIT => required()?.decode().map(Self::Elicit),
            LIST_ROOTS => params.as_ref().map(Raw::decode).transpose().map(Self::ListRoots),
            CREATE_MESSAGE => required()?.decode().map(Self::CreateMessage),
            _ => {
                return Err(de::Error::custom(format_args!(
                    "{method:?} cannot be asked of a client"
                )));
            }
        }
        .map_err(de::Error::custom)
    }
}

impl Serialize for InputResponse {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Elicit(result) => result.serialize(serializer),
            Self::ListRoots(result) => result.serialize(serializer),
            Self::CreateMessage(result) => result.serialize(serializer),
        }
    }
}

const ELICIT: &str = "elicitation/create";
const LIST_ROOTS: &str = "roots/list";
const CREATE_MESSAGE: &str = "sampling/createMessage";
