//! Values written as `serde_json` writes them, but their texts many bytes at a time.

use serde::{
    Serialize, Serializer,
    ser::{
        SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
        SerializeTupleStruct, SerializeTupleVariant,
    },
};
use serde_json::{Error, Result};

use super::write_string;

/// Appends a value as JSON. What cannot be encoded leaves its beginning behind.
pub(crate) fn write_value<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<()> {
    value.serialize(Encoder(out))
}

struct Encoder<'a>(&'a mut Vec<u8>);

/// An array or an object that is not closed yet.
struct Open<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
    end: &'static [u8],
}

/// A struct is an object, or something of its own that only `serde_json` knows how to write.
enum Struct<'a> {
    Object(Open<'a>),
    Private { out: &'a mut Vec<u8>, name: &'static str },
}

impl<'a> Encoder<'a> {
    /// As `serde_json` has it.
    fn plain<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        serde_json::to_writer(self.0, value)
    }

    fn open(self, begin: &[u8], end: &'static [u8]) -> Open<'a> {
        self.0.extend_from_slice(begin);
        Open { out: self.0, is_empty: true, end }
    }

    /// An object with one member, whose key is the variant's.
    fn variant(self, variant: &str, begin: &[u8], end: &'static [u8]) -> Open<'a> {
        self.0.push(b'{');
        write_string(self.0, variant);
        self.0.push(b':');
        self.open(begin, end)
    }
}

impl Open<'_> {
    fn next(&mut self) {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(b',');
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.next();
        write_value(self.out, value)
    }

    fn member<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.next();
        write_string(self.out, key);
        self.out.push(b':');
        write_value(self.out, value)
    }

    #[expect(clippy::unnecessary_wraps, reason = "so that it can end every kind of compound")]
    fn close(self) -> Result<()> {
        self.out.extend_from_slice(self.end);
        Ok(())
    }
}

/// What has no text in it.
macro_rules! plain {
    ($($name:ident: $type:ty,)*) => {
        $(fn $name(self, value: $type) -> Result<()> {
            self.plain(&value)
        })*
    };
}

impl<'a> Serializer for Encoder<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Open<'a>;
    type SerializeTuple = Open<'a>;
    type SerializeTupleStruct = Open<'a>;
    type SerializeTupleVariant = Open<'a>;
    type SerializeMap = Open<'a>;
    type SerializeStruct = Struct<'a>;
    type SerializeStructVariant = Open<'a>;

    plain! {
        serialize_bool: bool,
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_i128: i128,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
        serialize_u128: u128,
        serialize_f32: f32,
        serialize_f64: f64,
        serialize_char: char,
        serialize_bytes: &[u8],
    }

    fn serialize_str(self, text: &str) -> Result<()> {
        write_string(self.0, text);
        Ok(())
    }

    fn serialize_none(self) -> Result<()> {
        self.plain(&())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.plain(&())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.plain(&())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let mut object = self.open(b"{", b"}");
        object.member(variant, value)?;
        object.close()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'a>> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'a>> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'a>> {
        Ok(self.open(b"[", b"]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'a>> {
        Ok(self.variant(variant, b"[", b"]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'a>> {
        Ok(self.open(b"{", b"}"))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Struct<'a>> {
        Ok(if name.starts_with(PRIVATE) {
            Struct::Private { out: self.0, name }
        } else {
            Struct::Object(self.open(b"{", b"}"))
        })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'a>> {
        Ok(self.variant(variant, b"{", b"}}"))
    }
}

macro_rules! elements {
    ($($trait:ident $method:ident,)*) => {
        $(impl $trait for Open<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        })*
    };
}

elements! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field,
}

impl SerializeStructVariant for Open<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        self.member(key, value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl SerializeStruct for Struct<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<()> {
        match self {
            Self::Object(object) => object.member(key, value),
            Self::Private { out, name } => {
                serde_json::to_writer(&mut **out, &Private { name, key, value })
            }
        }
    }

    fn end(self) -> Result<()> {
        match self {
            Self::Object(object) => object.close(),
            Self::Private { .. } => Ok(()),
        }
    }
}

impl SerializeMap for Open<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        // What can be a key, and how it looks, `serde_json` shows in an object of its own, whose braces are not wanted.
        let is_first = std::mem::replace(&mut self.is_empty, false);
        if is_first {
            self.out.pop();
        }
        let at = self.out.len();
        serde_json::to_writer(&mut *self.out, &Alone(key))?;
        if !is_first {
            self.out[at] = b',';
        }
        self.out.truncate(self.out.len() - b"null}".len());
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        write_value(self.out, value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

/// A key with nothing behind it.
struct Alone<'a, K: ?Sized>(&'a K);

impl<K: Serialize + ?Sized> Serialize for Alone<'_, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, &())?;
        map.end()
    }
}

/// A struct of `serde_json`'s own.
struct Private<'a, T: ?Sized> {
    name: &'static str,
    key: &'static str,
    value: &'a T,
}

impl<T: Serialize + ?Sized> Serialize for Private<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct(self.name, 1)?;
        object.serialize_field(self.key, self.value)?;
        object.end()
    }
}

/// What the names of `serde_json`'s own structs begin with: raw JSON, for one.
const PRIVATE: &str = "$serde_json::private::";

#[cfg(test)]
mod tests;
