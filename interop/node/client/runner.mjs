// Runs steps one after the other and says what came of them.

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A step is `{name, run, tools?, since?, transports?}`: `run(connection, options)` throws when the server fails it;
 * `tools` are the fixtures it calls; `since` is the first revision and `transports` are the transports it is about.
 * Gives the number of steps that failed.
 */
export async function run(steps, options, open) {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  const started = performance.now();
  let connection;
  try {
    connection = await within(STEP_MS, open());
  } catch (error) {
    report(tally, 'failed', 'connect', error);
  }
  if (connection !== undefined) {
    await runAll(steps, connection, options, tally);
  }
  if (tally.passed + tally.failed === 0) {
    report(tally, 'failed', 'selection', new Error('no step was run'));
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
  const revision = connection?.revision ?? 'no revision';
  process.stdout.write(
    `${tally.passed} passed, ${tally.failed} failed${skipped} (${options.transport}, ${revision}, ${seconds} s)\n`
  );
  return tally.failed;
}

async function runAll(steps, connection, options, tally) {
  const offered = options.lenient ? await connection.toolNames() : undefined;
  for (const step of steps.filter((step) => concerns(step, connection, options))) {
    const missing = (step.tools ?? []).filter((tool) => offered && !offered.has(tool));
    if (missing.length > 0) {
      report(tally, 'skipped', step.name, new Error(`not offered: ${missing.join(', ')}`));
      continue;
    }
    try {
      await within(STEP_MS, step.run(connection, options));
      report(tally, 'passed', step.name);
    } catch (error) {
      report(tally, 'failed', step.name, error);
    }
  }
}

function concerns(step, connection, options) {
  const { only, transport } = options;
  return (
    (step.since === undefined || connection.revision >= step.since) &&
    (step.transports === undefined || step.transports.includes(transport)) &&
    (only.length === 0 || only.some((part) => step.name.includes(part)))
  );
}

function report(tally, outcome, name, error) {
  tally[outcome] += 1;
  const why = error === undefined ? '' : `: ${oneLine(error)}`;
  process.stdout.write(`${WORDS[outcome]} ${name}${why}\n`);
}

function oneLine(error) {
  return String(error?.message ?? error).replace(/\s+/g, ' ').slice(0, 600);
}

async function within(milliseconds, promise) {
  const done = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: done.signal }).then(() => {
    throw new Error(`not done after ${milliseconds / 1000} s`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    done.abort();
    late.catch(() => {});
  }
}

const WORDS = { passed: 'ok', failed: 'not ok', skipped: 'skip' };
const STEP_MS = 20_000;
