//! The likeliest mistakes, and that the compiler says what to do about them.
//!
//! `TRYBUILD=overwrite cargo test -p proofmark-sdk --test mistakes -- --ignored` writes down what it says now.

/// Apart from the others, because it builds the crate once more, and because each version of the compiler has its own words.
#[test]
#[ignore = "the words are those of one version of the compiler: `cargo test --test mistakes -- --ignored`"]
fn the_compiler_says_what_to_do() {
    trybuild::TestCases::new().compile_fail("tests/mistakes/*.rs");
}
