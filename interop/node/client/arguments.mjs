// The command line of the client.

export const USAGE = `\
Usage: node client.mjs --transport stdio [OPTION…] -- COMMAND [ARGUMENT…]
       node client.mjs --transport http|sse [OPTION…] URL

  --revision R    propose this revision instead of the newest the client knows
  --only NAME     run only steps whose name contains NAME (repeatable)
  --lenient       skip, instead of fail, steps whose fixture the server does not list
  --deadline S    give up after S seconds (default: 120)`;

/** The options, or `{complaint}` with what is wrong with them. */
export function parse(words) {
  const options = { only: [], lenient: false, deadline: 120 };
  const rest = [...words];
  const positional = [];
  while (rest.length > 0) {
    const word = rest.shift();
    if (word === '--') {
      positional.push(...rest.splice(0));
    } else if (word === '--lenient') {
      options.lenient = true;
    } else if (word === '--only') {
      options.only.push(rest.shift());
    } else if (['--transport', '--revision', '--deadline'].includes(word)) {
      options[word.slice(2)] = rest.shift();
    } else if (word.startsWith('--')) {
      return { complaint: `there is no option ${word}` };
    } else {
      positional.push(word);
    }
  }
  return check(options, positional);
}

function check(options, positional) {
  options.deadline = Number(options.deadline);
  if (!(options.deadline > 0)) return { complaint: '--deadline wants a number of seconds' };
  if (options.only.includes(undefined)) return { complaint: '--only wants a name' };
  if (!['stdio', 'http', 'sse'].includes(options.transport)) {
    return { complaint: '--transport wants stdio, http or sse' };
  }
  if (options.transport === 'stdio') {
    if (positional.length === 0) return { complaint: 'stdio wants a command after --' };
    return { ...options, command: positional };
  }
  if (positional.length !== 1 || !URL.canParse(positional[0])) {
    return { complaint: `${options.transport} wants one URL` };
  }
  return { ...options, url: new URL(positional[0]) };
}
