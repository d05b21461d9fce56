use super::*;

#[test]
fn an_address_is_one_argument_whatever_is_in_it() {
    let hostile = "https://as.example/a?x=$(touch%20/tmp/x)&y=`id`;z='\"|&state=1";
    let url = Url::parse(hostile).unwrap();
    let browser = Browser::default().program(["opener", "--quiet"]);
    let command = browser.command(&url);
    let command = command.as_std();
    assert_eq!(command.get_program(), "opener");
    let arguments: Vec<_> = command.get_args().collect();
    assert_eq!(arguments, ["--quiet", url.as_str()]);
    let usual = Browser::default().command(&url);
    assert_eq!(usual.as_std().get_args().last().unwrap(), url.as_str());
}

#[tokio::test]
async fn a_person_who_does_not_come_back_is_not_waited_for_for_ever() {
    let shown = Arc::new(std::sync::Mutex::new(None));
    let seen = shown.clone();
    let browser = Browser::default()
        .patience(Duration::ZERO)
        .program(["no-such-program-anywhere"])
        .show(move |url| *seen.lock().unwrap() = Some(url.clone()));
    let visit = browser.prepare(None).await.unwrap();
    let url = Url::parse("https://as.example/authorize?state=s").unwrap();
    let error = visit.visit(url.clone()).await.unwrap_err();
    assert_eq!(error.to_string(), "nobody came back from the browser in time");
    assert_eq!(shown.lock().unwrap().as_ref(), Some(&url));
}
