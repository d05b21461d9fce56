use super::*;

#[test]
fn a_record_survives_being_written_and_read() {
    let record = SessionRecord {
        owner: Principal::user("https://issuer.test", "alice", Some("app")),
        revision: Revision::ALL[1],
        client: Implementation::new("client", "1.0"),
        capabilities: ClientCapabilities::default(),
        phase: Phase::Initializing,
        log_level: Some(LoggingLevel::Alert),
        watched: BTreeSet::from(["test://a".to_owned()]),
        created: Timestamp(5),
    };
    let text = serde_json::to_string(&record).unwrap();
    assert_eq!(serde_json::from_str::<SessionRecord>(&text).unwrap(), record);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_sessions_never_exceeds_the_limit() {
    let settings = SessionSettings { sessions: 50, ..SessionSettings::default() };
    let store = MemorySessionStore::new(settings);
    let record = SessionRecord {
        owner: Principal::Anonymous,
        revision: Revision::ALL[1],
        client: Implementation::new("client", "1.0"),
        capabilities: ClientCapabilities::default(),
        phase: Phase::Initializing,
        log_level: None,
        watched: BTreeSet::new(),
        created: Timestamp(5),
    };
    let mut admitted = 0;
    for attempt in 0..2000 {
        if attempt == 1000 {
            tokio::time::advance(Duration::from_secs(30)).await;
        }
        let id = SessionId::random().unwrap();
        admitted += usize::from(store.create(&id, record.clone()).await.is_ok());
        assert!(store.len() <= 50);
    }
    assert_eq!(admitted, 100);
}
