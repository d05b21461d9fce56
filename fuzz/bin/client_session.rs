#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| proofmark_fuzz::client_session::run(data));
