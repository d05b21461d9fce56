//! Numbers and texts in which handlers say how far they are.

/// An amount of work: a number of any type, or `None` where it is not known.
pub trait ProgressAmount {
    fn amount(self) -> Option<f64>;
}

/// What is being done: a text or `None`.
pub trait ProgressMessage {
    fn message(self) -> Option<String>;
}

macro_rules! exact {
    ($($type:ty),*) => {$(
        impl ProgressAmount for $type {
            fn amount(self) -> Option<f64> {
                Some(self.into())
            }
        }
    )*};
}

macro_rules! rounded {
    ($($type:ty),*) => {$(
        impl ProgressAmount for $type {
            #[expect(clippy::cast_precision_loss, reason = "progress is for people")]
            fn amount(self) -> Option<f64> {
                Some(self as f64)
            }
        }
    )*};
}

exact!(f32, f64, i32, u8, u16, u32);
rounded!(i64, isize, u64, usize);

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
