use super::*;

#[test]
fn lines_are_the_same_however_they_are_cut() {
    everyhow(
        b"{\"a\":1}\r\n\n  \r\n[1]\n a\r \n\r\r\n{",
        &[
            ("{\"a\":1}", Border::Line),
            ("[1]", Border::Line),
            (" a\r ", Border::Line),
            ("{", Border::Cut),
        ],
    );
}

#[test]
fn a_message_over_several_lines_is_one() {
    everyhow(
        b"{\n  \"a\": [\r\n\n    \"}\\\"\"\n  ]\n}\n{}\n",
        &[("{\n  \"a\": [\r\n\n    \"}\\\"\"\n  ]\n}", Border::Lines), ("{}", Border::Line)],
    );
    everyhow(b"{\n\"a\":1\n}", &[("{\n\"a\":1\n}", Border::Lines)]);
}

#[test]
fn what_is_never_finished_does_not_swallow_the_next_message() {
    everyhow(
        b"{\"a\":\n{\"jsonrpc\":\"2.0\"}\n",
        &[("{\"a\":", Border::Line), ("{\"jsonrpc\":\"2.0\"}", Border::Line)],
    );
    everyhow(
        b"{\"a\":\n}\n{\"b\":\"\n{}\n{ starting\n{}\n",
        &[
            ("{\"a\":", Border::Line),
            ("}", Border::Line),
            ("{\"b\":\"", Border::Line),
            ("{}", Border::Line),
            ("{ starting", Border::Line),
            ("{}", Border::Line),
        ],
    );
}

#[test]
fn a_length_in_front_is_believed() {
    everyhow(
        b"Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: a; b\r\n\r\n[1]Content-Length: 1\n\n{\n",
        &[
            ("{}", Border::Length),
            ("[1]", Border::Length),
            ("{", Border::Length),
        ],
    );
}

#[test]
fn what_only_looks_like_a_header_is_a_line() {
    everyhow(
        b"Content-Length: much\r\n\r\n{}\nContent-Length: 2\nHello: you\n{}\n",
        &[
            ("Content-Length: much", Border::Line),
            ("{}", Border::Line),
            ("Content-Length: 2", Border::Line),
            ("Hello: you", Border::Line),
            ("{}", Border::Line),
        ],
    );
    everyhow(
        b"Content-Length: 99999999999\r\n\r\n{}\n",
        &[("Content-Length: 99999999999", Border::Line), ("{}", Border::Line)],
    );
}

#[test]
fn messages_on_one_line_are_taken_apart() {
    everyhow(
        b"{\"a\":1} {\"b\":\"{\"}[]\nno {}{}\n",
        &[
            ("{\"a\":1}", Border::Unended),
            ("{\"b\":\"{\"}", Border::Unended),
            ("[]", Border::Line),
            ("no {}{}", Border::Line),
        ],
    );
}

#[test]
fn a_message_without_a_newline_is_given_out_when_nothing_more_comes() {
    for (text, expected) in [
        ("{\"a\":1}", vec![("{\"a\":1}", Border::Unended)]),
        ("{}\r{}\r", vec![("{}", Border::Unended), ("{}", Border::Unended)]),
        ("{\n}", vec![("{\n}", Border::Lines)]),
        ("{", vec![]),
        ("{} and", vec![]),
    ] {
        let mut splitter = MessageSplitter::default();
        splitter.push(text.as_bytes());
        assert!(splitter.cut().is_none());
        assert!(splitter.is_waiting());
        assert_eq!(splitter.settle(), !expected.is_empty(), "{text}");
        let mut frames = Vec::new();
        while let Some(Cut::Frame(frame)) = splitter.cut() {
            frames.push(frame);
        }
        assert_eq!(shown(&frames), expected);
        assert_eq!(splitter.is_waiting(), expected.is_empty());
    }
}

#[test]
fn a_byte_order_mark_does_not_hide_a_message() {
    let text = b"\xef\xbb\xbf{\"a\":\n1}\n\xef\xbb\xbf{}\n";
    let (frames, _) = split(MessageSplitter::default(), text, 3);
    assert!(frames.iter().all(|frame| frame.json.is_ok() && frame.has_byte_order_mark()));
    assert_eq!(frames[0].border, Border::Lines);
    assert_eq!(frames[1].border, Border::Line);
}

#[test]
fn a_line_that_is_too_long_is_told_once_and_the_next_is_whole() {
    let text = b"12345\n1234567\n7654321654321\nabc\n123456";
    for size in 1..=text.len() {
        let (frames, too_long) = split(MessageSplitter::new(6), text, size);
        let texts: Vec<_> = shown(&frames).into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, ["12345", "abc", "123456"], "in pieces of {size}");
        assert_eq!(too_long, 2);
    }
}

#[track_caller]
fn everyhow(text: &[u8], expected: &[(&str, Border)]) {
    for size in 1..=text.len() {
        let (frames, too_long) = split(MessageSplitter::default(), text, size);
        assert_eq!(shown(&frames), expected, "in pieces of {size}");
        assert_eq!(too_long, 0);
    }
}

fn shown(frames: &[Frame]) -> Vec<(&str, Border)> {
    frames.iter().map(|it| (std::str::from_utf8(&it.bytes).unwrap(), it.border.clone())).collect()
}

fn split(mut splitter: MessageSplitter, text: &[u8], size: usize) -> (Vec<Frame>, usize) {
    let (mut frames, mut too_long) = (Vec::new(), 0);
    for piece in text.chunks(size) {
        splitter.push(piece);
        while let Some(cut) = splitter.cut() {
            match cut {
                Cut::Frame(frame) => frames.push(frame),
                Cut::TooLong => too_long += 1,
            }
        }
    }
    frames.extend(splitter.finish());
    (frames, too_long)
}
