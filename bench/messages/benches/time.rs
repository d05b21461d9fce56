//! How long each case takes.

use std::hint::black_box;

use bench_messages::{CASES, NAMES};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn cases(criterion: &mut Criterion) {
    for case in CASES {
        let input = (case.input)();
        let mut group = criterion.benchmark_group(case.name.replace('/', " "));
        group.throughput(Throughput::Bytes(input.len() as u64));
        for name in NAMES {
            let mut work = case.work(name).expect("an implementation");
            let mut out = Vec::with_capacity(4 * input.len());
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    out.clear();
                    work(black_box(&input), &mut out);
                    black_box(out.len())
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, cases);
criterion_main!(benches);
