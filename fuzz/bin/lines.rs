#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| proofmark_fuzz::lines::run(data));
