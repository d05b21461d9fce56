//! Numbers and texts in which handlers say how far they are.

/// An amount of work: a number of any type, or `None` where it is not known.
pub trait ProgressAmount {
    fn amount(self) -> Option<f64>;
}

/// What is being done: a text or `None`.
pub trait ProgressMessage {
    fn message(self) -> Option<String>;
}

macro_rules! amounts {
    ($($type:ty),*) => {$(
        impl ProgressAmount for $type {
            #[expect(
                clippy::allow_attributes,
                clippy::cast_lossless,
                clippy::cast_precision_loss,
                reason = "progress is for people, and the protocol has one type of number"
            )]
            #[allow(clippy::unnecessary_cast, reason = "one of the types is the one that is wanted")]
            fn amount(self) -> Option<f64> {
                Some(self as f64)
            }
        }
    )*};
}

amounts!(f32, f64, i32, i64, isize, u8, u16, u32, u64, usize);

impl ProgressAmount for Option<f64> {
    fn amount(self) -> Option<f64> {
        self
    }
}

impl ProgressMessage for &str {
    fn message(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl ProgressMessage for String {
    fn message(self) -> Option<String> {
        Some(self)
    }
}

impl ProgressMessage for Option<&str> {
    fn message(self) -> Option<String> {
        self.map(str::to_owned)
    }
}
