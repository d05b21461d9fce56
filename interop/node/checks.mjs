// Lists what a run of the conformance suite left in a folder, one check per line:
// status, scenario, check, message, separated by tabs.

import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
list(folder, '');

// Scenarios may have a slash in their names, and folders in folders for that.
function list(folder, group) {
  for (const entry of readdirSync(folder).sort()) {
    const name = entry.match(/^(?:server-|authorization-server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/)?.[1];
    if (name === undefined && group === '' && !/\d{4}/.test(entry)) {
      list(join(folder, entry), `${entry}/`);
      continue;
    }
    if (name === undefined) throw new Error(`${entry} is not named as a scenario's folder`);
    const scenario = group + name;
    const file = join(folder, entry, 'checks.json');
    // A scenario that threw has a folder, but nothing in it.
    const checks = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
    if (checks.length === 0) line('FAILURE', scenario, 'no-checks', 'the scenario ended without a check');
    for (const check of checks) {
      line(check.status, scenario, check.id, check.errorMessage ?? check.description ?? check.name);
    }
  }
}

function line(...fields) {
  process.stdout.write(fields.map((field) => String(field).replace(/\s+/g, ' ')).join('\t') + '\n');
}
