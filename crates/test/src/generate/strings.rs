//! Texts that fit: lengths in code points, patterns, formats.

use regex::RegexBuilder;

use super::{pattern, shape::Shape};

/// Texts that should fit a shape, each with what is special about it; the plainest first.
pub(super) fn fitting(shape: &Shape) -> Vec<(&'static str, String)> {
    let (least, most) = shape.length;
    let mut all: Vec<(&'static str, String)> = Vec::new();
    let length = |text: &str| u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
    let fits = |text: &str| length(text) >= least && most.is_none_or(|most| length(text) <= most);
    if !shape.patterns.is_empty() {
        let regexes: Vec<_> = shape
            .patterns
            .iter()
            .filter_map(|it| RegexBuilder::new(it).size_limit(1 << 20).build().ok())
            .collect();
        if regexes.len() < shape.patterns.len() {
            return Vec::new();
        }
        let mut candidates: Vec<String> = Vec::new();
        for pattern in &shape.patterns {
            let samples = pattern::samples(pattern);
            // An open end can be made longer.
            for sample in &samples {
                let missing = usize::try_from(least.saturating_sub(length(sample))).unwrap_or(0);
                if missing > 0 && missing < LONG {
                    candidates.push(format!("{sample}{}", "a".repeat(missing)));
                    candidates.push(format!("{}{sample}", "a".repeat(missing)));
                }
            }
            candidates.extend(samples);
        }
        candidates.retain(|text| fits(text) && regexes.iter().all(|regex| regex.is_match(text)));
        candidates.sort_by_key(|text| length(text));
        candidates.dedup();
        if let Some(longest) = candidates.last().filter(|_| candidates.len() > 1).cloned() {
            all.push(("longer", longest));
        }
        if let Some(first) = candidates.into_iter().next() {
            all.insert(0, ("plain", first));
        }
        return all;
    }
    if let Some(format) = &shape.format {
        let samples = formats(format);
        all.extend(
            samples.iter().filter(|text| fits(text)).map(|text| ("format", (*text).to_owned())),
        );
        if !samples.is_empty() {
            return all;
        }
    }
    let of = |letter: &str, count: u64| {
        usize::try_from(count).ok().filter(|it| *it <= LONG).map(|it| letter.repeat(it))
    };
    let plain = "text";
    if fits(plain) {
        all.push(("plain", plain.to_owned()));
    } else {
        all.extend(of("a", least).map(|text| ("plain", text)));
    }
    all.extend(of("a", least).map(|text| ("shortest", text)));
    if least.saturating_add(1) <= most.unwrap_or(u64::MAX) {
        all.extend(
            of("a", least.saturating_add(1)).map(|text| ("one more than the shortest", text)),
        );
    }
    if let Some(most) = most {
        all.extend(of("a", most).map(|text| ("longest", text)));
        if most > least {
            all.extend(of("a", most - 1).map(|text| ("one less than the longest", text)));
        }
        // Counted in code points, these are as long as the others.
        all.extend(of("\u{1F600}", most).map(|text| ("longest outside the BMP", text)));
    }
    all.extend(
        of("\u{1F600}", least.max(1).min(most.unwrap_or(u64::MAX)))
            .map(|text| ("outside the BMP", text)),
    );
    all
}

/// Texts that every reader of the format takes.
pub(super) fn formats(format: &str) -> &'static [&'static str] {
    match format {
        "date" => &["2024-02-29", "1999-12-31"],
        "date-time" => &["2024-02-29T12:30:45Z", "1999-12-31T23:59:59.5+01:00"],
        "time" => &["12:30:45Z"],
        "duration" => &["P1DT2H"],
        "email" | "idn-email" => &["user@example.com"],
        "hostname" | "idn-hostname" => &["example.com"],
        "ipv4" => &["192.0.2.1"],
        "ipv6" => &["2001:db8::1"],
        "uri" | "iri" | "url" => &["https://example.com/a?b=c"],
        "uri-reference" | "iri-reference" => &["/a/b?c=d"],
        "uri-template" => &["https://example.com/{id}"],
        "uuid" => &["123e4567-e89b-12d3-a456-426614174000"],
        "json-pointer" => &["/a/0"],
        "relative-json-pointer" => &["0/a"],
        "regex" => &["^a+$"],
        "byte" | "binary" => &["aGVsbG8="],
        _ => &[],
    }
}

/// Formats that a text without any structure misses; others take nearly anything.
pub(super) fn is_strict(format: &str) -> bool {
    matches!(
        format,
        "date" | "date-time" | "time" | "email" | "ipv4" | "ipv6" | "uri" | "uuid" | "duration"
    )
}

/// Longer ones are not made.
pub(super) const LONG: usize = 20_000;
