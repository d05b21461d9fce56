//! What a row of the table is made of: the shapes of JSON values, and the objects of the protocol with their members.

use proofmark_core::revision::Revision;

pub use crate::requirement::Span;
use crate::requirement::{only, since};

/// What a value is like.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Any,
    Boolean,
    /// A number without a fraction, `1.0` included, of at least this.
    Integer(Option<i32>),
    Number,
    /// Both ends included.
    NumberBetween(f64, f64),
    Null,
    Text(Format),
    /// Exactly this string.
    Exactly(&'static str),
    OneOf(&'static [&'static str]),
    List(&'static Self),
    /// A list of at most so many items.
    ShortList(&'static Self, usize),
    /// An object whose keys are free.
    Map(&'static Self),
    Object(&'static Object),
    /// An object that is one of several, told apart by what it has.
    Union(&'static Union),
    /// Any of these, told apart by their JSON types.
    Either(&'static [Self]),
}

/// What a string has to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Free,
    Base64,
    /// Of ISO 8601, in any of its forms.
    DateTime,
    /// With a scheme, and of characters that a URI may have.
    Uri,
    UriTemplate,
}

/// An object of the protocol.
#[derive(Debug)]
pub struct Object {
    /// As the official schema calls it; of an object that has no name there, that of the one around it and the member.
    pub name: &'static str,
    pub span: Span,
    /// Other members are legal everywhere.
    pub members: &'static [Member],
    /// Members that it shares with others of its kind.
    pub common: &'static [&'static [Member]],
    /// The requirement that is broken by a member of the wrong type, if none says more.
    pub family: &'static str,
}

/// One member in some revisions. A member that changed has several rows.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    pub name: &'static str,
    pub need: Need,
    pub shape: Shape,
    pub span: Span,
    /// Requirements that say what it is: the first that binds the sender in the revision counts.
    pub blame: &'static [&'static str],
    /// Requirements that say that it is there, if these are others.
    pub missing: &'static [&'static str],
    /// Requirements that say which objects may stand there, if it is a union.
    pub kinds: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    Required,
    Optional,
}

/// Objects that stand in the same place.
#[derive(Debug)]
pub struct Union {
    /// The first whose conditions all hold is meant.
    pub variants: &'static [Variant],
    /// The member that tells them apart, if one does.
    pub tag: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub struct Variant {
    pub when: &'static [Condition],
    pub object: &'static Object,
}

/// What is looked at to tell the objects of a union apart, by a JSON Pointer.
#[derive(Clone, Copy, Debug)]
pub enum Condition {
    Has(&'static str),
    Lacks(&'static str),
    /// It is one of these strings.
    Is(&'static str, &'static [&'static str]),
    IsNumber(&'static str, i64),
}

/// A message that one side or both send, and what answers it.
#[derive(Debug)]
pub struct Message {
    pub method: &'static str,
    pub sender: Sender,
    pub span: Span,
    /// Its method and params.
    pub object: &'static Object,
    /// `None`: a notification.
    pub result: Option<Shape>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    Both,
    Client,
    Server,
}

impl Object {
    /// In all revisions in which something refers to it.
    pub(super) const fn new(
        name: &'static str,
        family: &'static str,
        members: &'static [Member],
    ) -> Self {
        Self { name, span: since(Revision::ALL[0]), members, common: &[], family }
    }

    pub(super) const fn with(self, common: &'static [&'static [Member]]) -> Self {
        Self { common, ..self }
    }

    pub(super) const fn since(self, first: Revision) -> Self {
        Self { span: Span { first, ..self.span }, ..self }
    }

    pub(super) const fn until(self, last: Revision) -> Self {
        Self { span: Span { last: Some(last), ..self.span }, ..self }
    }

    /// The members that this revision knows.
    pub fn members_in(&self, revision: Revision) -> impl Iterator<Item = &'static Member> {
        let all = self.members.iter().chain(self.common.iter().copied().flatten());
        all.filter(move |member| member.span.contains(revision))
    }
}

impl Member {
    pub(super) const fn since(self, first: Revision) -> Self {
        Self { span: Span { first, ..self.span }, ..self }
    }

    pub(super) const fn until(self, last: Revision) -> Self {
        Self { span: Span { last: Some(last), ..self.span }, ..self }
    }

    pub(super) const fn only(self, revision: Revision) -> Self {
        Self { span: only(revision), ..self }
    }

    pub(super) const fn blame(self, blame: &'static [&'static str]) -> Self {
        Self { blame, ..self }
    }

    pub(super) const fn missing(self, missing: &'static [&'static str]) -> Self {
        Self { missing, ..self }
    }

    pub(super) const fn kinds(self, kinds: &'static [&'static str]) -> Self {
        Self { kinds, ..self }
    }
}

impl Union {
    /// The objects that may stand there in a revision.
    pub fn variants_in(&self, revision: Revision) -> impl Iterator<Item = &'static Variant> {
        self.variants.iter().filter(move |it| it.object.span.contains(revision))
    }
}

pub(super) const fn required(name: &'static str, shape: Shape) -> Member {
    let span = since(Revision::ALL[0]);
    Member { name, need: Need::Required, shape, span, blame: &[], missing: &[], kinds: &[] }
}

pub(super) const fn optional(name: &'static str, shape: Shape) -> Member {
    let span = since(Revision::ALL[0]);
    Member { name, need: Need::Optional, shape, span, blame: &[], missing: &[], kinds: &[] }
}

pub(super) const fn when(conditions: &'static [Condition], object: &'static Object) -> Variant {
    Variant { when: conditions, object }
}

pub(super) const TEXT: Shape = Shape::Text(Format::Free);
pub(super) const URI: Shape = Shape::Text(Format::Uri);
pub(super) const URI_TEMPLATE: Shape = Shape::Text(Format::UriTemplate);
pub(super) const BASE64: Shape = Shape::Text(Format::Base64);
pub(super) const DATE_TIME: Shape = Shape::Text(Format::DateTime);
pub(super) const INTEGER: Shape = Shape::Integer(None);
pub(super) const TEXTS: Shape = Shape::List(&TEXT);
/// An object of which nothing more is known.
pub(super) const FREE: Shape = Shape::Map(&Shape::Any);
