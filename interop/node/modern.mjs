// The official TypeScript client, version 2, put through everything an Everything Server offers without a handshake.

import { once } from 'node:events';
import { parse, USAGE } from './client/arguments.mjs';
import { run } from './client/runner.mjs';
import { Connection } from './modern/connection.mjs';
import { STEPS } from './modern/steps.mjs';

const options = parse(process.argv.slice(2));
if (options.complaint === undefined && options.transport === 'sse') {
  options.complaint = 'HTTP+SSE has no requests without a handshake';
}
if (options.complaint !== undefined) {
  process.stderr.write(`${options.complaint}\n\n${USAGE.replaceAll('client.mjs', 'modern.mjs')}\n`);
  process.exit(2);
}

// Whatever hangs, the last word is spoken in time.
setTimeout(() => {
  process.stdout.write(`not ok the whole run: not done after ${options.deadline} s\n`);
  finish(1);
}, options.deadline * 1000).unref();

const failed = await run(STEPS, options, () => Connection.open(options));
finish(failed === 0 ? 0 : 1);

/** Lets stdout drain first: exit does not wait for a pipe. */
async function finish(code) {
  Connection.abandonAll();
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
  process.exit(code);
}
