//! Numbers on the wire: whole ones without a fraction, and never one that JSON cannot say.

use serde::{Serializer, ser};

/// For `f64`, with `#[serde(serialize_with = "number::serialize")]`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes every field by reference")]
pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !number.is_finite() {
        return Err(ser::Error::custom(format_args!("{number} is not a number in JSON")));
    }
    if number.fract() == 0.0 && number.abs() <= MAX_EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within the exact range")]
        return serializer.serialize_i64(*number as i64);
    }
    serializer.serialize_f64(*number)
}

/// For `Option<f64>` that is skipped when absent.
#[expect(clippy::ref_option, reason = "serde passes every field by reference")]
pub(crate) fn serialize_option<S: Serializer>(
    number: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match number {
        Some(number) => serialize(number, serializer),
        None => serializer.serialize_none(),
    }
}

/// Up to here an `f64` tells every whole number apart from its neighbours.
const MAX_EXACT: f64 = 9_007_199_254_740_991.0;

#[cfg(test)]
mod tests {
    use serde::Serialize;

    #[derive(Serialize)]
    #[serde(transparent)]
    struct Number(#[serde(serialize_with = "super::serialize")] f64);

    #[test]
    fn a_whole_number_has_no_fraction() {
        for (number, text) in [(0.0, "0"), (-3.0, "-3"), (0.5, "0.5"), (1e300, "1e300")] {
            let written = serde_json::to_string(&Number(number)).unwrap();
            assert_eq!(written.replace("e+", "e"), text);
        }
    }

    #[test]
    fn infinity_is_an_error_and_not_null() {
        assert!(serde_json::to_string(&Number(f64::INFINITY)).is_err());
        assert!(serde_json::to_string(&Number(f64::NAN)).is_err());
    }
}
