use super::*;

#[tokio::test]
async fn a_program_that_is_not_there_is_the_first_step() {
    let found = examine(&ServerEntry::command("a", vec!["no-such-program-here".to_owned()])).await;
    assert_eq!(names(&found), [("the command is found", StepOutcome::Failed)]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_banner_on_standard_output_is_named() {
    let script = "echo Welcome; echo oops >&2; cat > /dev/null";
    let mut entry = ServerEntry::command("a", ["sh", "-c", script].map(str::to_owned).to_vec());
    entry.timeout = std::time::Duration::from_secs(2);
    let found = examine(&entry).await;
    let failed = found.failed().unwrap();
    assert_eq!(failed.name, "what it says are messages");
    assert!(failed.seen.contains("Welcome") && failed.seen.contains("oops"), "{failed:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_process_that_ends_at_once_is_told_with_its_last_words() {
    let script = "echo no key >&2; exit 3";
    let entry = ServerEntry::command("a", ["sh", "-c", script].map(str::to_owned).to_vec());
    let found = examine(&entry).await;
    let failed = found.failed().unwrap();
    assert_eq!(failed.name, "it says something");
    assert!(failed.seen.contains("no key"), "{failed:?}");
}

#[tokio::test]
async fn a_port_that_nothing_listens_on_is_named() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let found = examine(&ServerEntry::url("a", format!("http://{free}/mcp"))).await;
    assert_eq!(found.failed().unwrap().name, "a connection");
    let found = examine(&ServerEntry::url("a", "ftp://a")).await;
    assert_eq!(names(&found), [("the address", StepOutcome::Failed)]);
}

fn names(found: &Examination) -> Vec<(&'static str, StepOutcome)> {
    found.steps.iter().map(|step| (step.name, step.outcome)).collect()
}
