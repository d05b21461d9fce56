//! Counts the instructions of each case with valgrind and prints them side by side.
//!
//! The program starts itself under callgrind, for each case and implementation with two numbers of repetitions: the difference is what
//! the repetitions cost, without the start of the program. It ends with an error if a limit is not kept.

use std::{
    env,
    hint::black_box,
    process::{Command, ExitCode},
};

use bench_messages::{CASES, Case, NAMES};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [case, name, times] => repeat(case, name, times.parse().expect("a number of repetitions")),
        [] => table(CASES.iter()),
        [part] => table(CASES.iter().filter(|case| case.name.contains(part))),
        _ => {
            eprintln!("give nothing, or a part of a case's name");
            ExitCode::from(2)
        }
    }
}

fn table(cases: impl Iterator<Item = &'static Case>) -> ExitCode {
    println!("| instructions | {} | ours / Value | ours / rmcp |", NAMES.join(" | "));
    println!("|---|---|---|---|---|---|");
    let mut broken = Vec::new();
    for case in cases {
        let [ours, plain, rmcp] = NAMES.map(|name| count(case, name));
        let (to_plain, to_rmcp) = (ratio(ours, plain), ratio(ours, rmcp));
        println!("| {} | {ours} | {plain} | {rmcp} | {to_plain:.2} | {to_rmcp:.2} |", case.name);
        if case.at_most.is_some_and(|limit| to_rmcp > limit) {
            broken.push(case.name);
        }
    }
    if broken.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("more of rmcp's instructions than allowed: {broken:?}");
    ExitCode::FAILURE
}

/// Instructions for one repetition.
fn count(case: &Case, name: &str) -> u64 {
    let few = collected(case.name, name, WARM_UP);
    let many = collected(case.name, name, WARM_UP + case.repeat);
    (many - few) / case.repeat as u64
}

fn collected(case: &str, name: &str, times: usize) -> u64 {
    let program = env::current_exe().expect("the program knows itself");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([case, name, &times.to_string()])
        .output()
        .expect("valgrind is installed");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    let line = log.lines().find_map(|line| line.split_once("Collected :"));
    line.and_then(|(_, count)| count.trim().parse().ok()).expect("callgrind says what it counted")
}

fn repeat(case: &str, name: &str, times: usize) -> ExitCode {
    let case = CASES.iter().find(|known| known.name == case).expect("a case of the table");
    let mut work = case.work(name).expect("an implementation");
    let input = (case.input)();
    let mut out = Vec::with_capacity(4 * input.len());
    for _ in 0..times {
        out.clear();
        work(black_box(&input), &mut out);
        black_box(&out);
    }
    ExitCode::SUCCESS
}

#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
fn ratio(one: u64, other: u64) -> f64 {
    one as f64 / other as f64
}

/// Repetitions until every buffer has the size that it keeps.
const WARM_UP: usize = 5;
