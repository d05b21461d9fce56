//! A unified diff of two texts, in which secrets cannot be read.

use std::fmt::Write;

use crate::mask;

/// What changes, with three lines around it; empty if nothing does.
pub fn unified(path: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let steps = steps(&old, &new);
    let mut text = format!("--- {path}\n+++ {path}\n");
    for hunk in hunks(&steps) {
        let (mut minus, mut plus, mut body) = (0, 0, String::new());
        for step in &steps[hunk.clone()] {
            let (sign, line) = match *step {
                Step::Same(line) => (' ', line),
                Step::Old(line) => ('-', line),
                Step::New(line) => ('+', line),
            };
            minus += usize::from(sign != '+');
            plus += usize::from(sign != '-');
            let shown = line.trim_end_matches('\n').trim_end_matches('\r');
            let _ = writeln!(body, "{sign}{}", mask(shown.trim_start_matches('\u{feff}')));
            if !line.ends_with('\n') {
                body.push_str("\\ No newline at end of file\n");
            }
        }
        let olds = |step: &&Step<'_>| !matches!(step, Step::New(_));
        let news = |step: &&Step<'_>| !matches!(step, Step::Old(_));
        let from = steps[..hunk.start].iter().filter(olds).count() + usize::from(minus > 0);
        let to = steps[..hunk.start].iter().filter(news).count() + usize::from(plus > 0);
        let _ = write!(text, "@@ -{from},{minus} +{to},{plus} @@\n{body}");
    }
    text
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step<'t> {
    Same(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// The way from one to the other that keeps most lines, between those that both begin and end with.
fn steps<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Step<'t>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = rest.take_while(|(a, b)| a == b).count();
    let mut steps: Vec<_> = old[..head].iter().map(|line| Step::Same(line)).collect();
    steps.extend(middle(&old[head..old.len() - tail], &new[head..new.len() - tail]));
    steps.extend(old[old.len() - tail..].iter().map(|line| Step::Same(line)));
    steps
}

fn middle<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Step<'t>> {
    if old.len().saturating_mul(new.len()) > MOST_CELLS {
        let gone = old.iter().map(|line| Step::Old(line));
        return gone.chain(new.iter().map(|line| Step::New(line))).collect();
    }
    // How many lines the rests from here on have in common.
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for x in (0..old.len()).rev() {
        for y in (0..new.len()).rev() {
            common[x * width + y] = if old[x] == new[y] {
                common[(x + 1) * width + y + 1] + 1
            } else {
                common[(x + 1) * width + y].max(common[x * width + y + 1])
            };
        }
    }
    let (mut x, mut y) = (0, 0);
    let mut steps = Vec::new();
    while x < old.len() || y < new.len() {
        if x < old.len() && y < new.len() && old[x] == new[y] {
            steps.push(Step::Same(old[x]));
            (x, y) = (x + 1, y + 1);
        } else if y == new.len()
            || (x < old.len() && common[(x + 1) * width + y] >= common[x * width + y + 1])
        {
            steps.push(Step::Old(old[x]));
            x += 1;
        } else {
            steps.push(Step::New(new[y]));
            y += 1;
        }
    }
    steps
}

/// The ranges of steps to show: changes that are near each other stand together.
fn hunks(steps: &[Step<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut hunks: Vec<std::ops::Range<usize>> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        if matches!(step, Step::Same(_)) {
            continue;
        }
        let range = index.saturating_sub(CONTEXT)..(index + CONTEXT + 1).min(steps.len());
        match hunks.last_mut() {
            Some(last) if last.end >= range.start => last.end = range.end,
            _ => hunks.push(range),
        }
    }
    hunks
}

const CONTEXT: usize = 3;
/// Beyond this a change is shown as one block.
const MOST_CELLS: usize = 4_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_about_equal_texts() {
        assert_eq!(unified("a", "x\n", "x\n"), "");
    }

    #[test]
    fn changes_far_apart_are_hunks_of_their_own() {
        let numbers: Vec<_> = (1..=20).map(|number| number.to_string()).collect();
        let before = numbers.join("\n") + "\n";
        let after = before.replace("2\n3\n", "2\nnew\n3\n").replace("19\n", "");
        assert_eq!(
            unified("f", &before, &after),
            "--- f\n+++ f\n@@ -1,5 +1,6 @@\n 1\n 2\n+new\n 3\n 4\n 5\n@@ -16,5 +17,4 @@\n 16\n 17\n 18\n-19\n 20\n"
        );
    }

    #[test]
    fn a_new_file_begins_at_nothing() {
        assert_eq!(unified("f", "", "a\n"), "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
    }

    #[test]
    fn a_missing_end_of_line_is_told() {
        let text = unified("f", "a", "a\n");
        assert_eq!(text, "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
    }

    #[test]
    fn secrets_beside_a_change_are_not_shown() {
        let before = "{\n  \"API_KEY\": \"abc\"\n}\n";
        let after = "{\n  \"API_KEY\": \"abc\",\n  \"b\": 1\n}\n";
        assert!(!unified("f", before, after).contains("abc"));
    }
}
