// Questions that many steps ask about an answer.

import assert from 'node:assert/strict';

/** The one content item of a result. */
export function only(result, type) {
  assert.deepEqual(result.content.map((item) => item.type), [type]);
  return result.content[0];
}

export function text(result) {
  return only(result, 'text').text;
}

/** What a promise was rejected with. */
export async function rejection(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  assert.fail(`expected an error, got ${JSON.stringify(value)}`);
}

export function isPng(base64) {
  return Buffer.from(base64, 'base64').subarray(1, 4).toString('latin1') === 'PNG';
}

export function isWav(base64) {
  const bytes = Buffer.from(base64, 'base64').toString('latin1');
  return bytes.startsWith('RIFF') && bytes.slice(8, 12) === 'WAVE';
}
