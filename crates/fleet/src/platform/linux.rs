//! Linux, which says of every process whose child it is and what it uses.

use std::{collections::BTreeMap, fs};

use super::Usage;

/// Of all that this process started, and that was started by it in turn.
pub fn usage_of_descendants() -> Usage {
    let mut children: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|it| it.parse().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((parent, pages)) = parent_and_pages(&stat) else { continue };
        children.entry(parent).or_default().push((id, pages * page));
    }
    let mut usage = Usage::default();
    let mut open = vec![std::process::id()];
    while let Some(id) = open.pop() {
        for (child, memory) in children.remove(&id).unwrap_or_default() {
            usage.processes += 1;
            usage.memory += memory;
            open.push(child);
        }
    }
    usage
}

/// The fourth word and the twenty-fourth; the second is a name in brackets, which may have spaces and brackets.
fn parent_and_pages(stat: &str) -> Option<(u32, u64)> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut words = rest.split_whitespace().skip(1);
    let parent = words.next()?.parse().ok()?;
    let pages = words.nth(19)?.parse::<i64>().ok()?;
    Some((parent, u64::try_from(pages).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_counted_with_its_memory() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        // A child that was only just started has no memory of its own yet.
        let began = std::time::Instant::now();
        let mut usage = usage_of_descendants();
        while usage.memory == 0 && began.elapsed().as_secs() < 10 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            usage = usage_of_descendants();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(usage.processes >= 1 && usage.memory > 0, "{usage:?}");
    }

    #[test]
    fn names_with_brackets_are_no_trouble() {
        let stat = "7 (a) b) S 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 42 0";
        assert_eq!(parent_and_pages(stat), Some((3, 0)));
    }
}
