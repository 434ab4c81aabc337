// Named values are redacted wherever they occur, and nothing else is.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openRecording, type TraceEvent, type TraceValue } from '@turntable/recording';
import { redactRecording } from '@turntable/recording/packed';
import { EventRedaction, REDACTED, Redaction } from '@turntable/recording/redaction';
import { contents, makeRecording, MANIFEST, SOURCE } from './packed.ts';
import { temporaryDirectory } from './recording.ts';
import { takeAll, values } from './traces.ts';

const SECRET = 'correct horse battery';

function redact(value: TraceValue, ...names: string[]): TraceValue {
  const redaction = new Redaction(names);
  redaction.learn(value);
  return redaction.redactValue(value);
}

describe('a named value', () => {
  test('in an object is redacted with all its content, in any case of the name', () => {
    expect(redact({ Token: 1, deep: [{ TOKEN: { a: [1, 'b'] } }], tokens: 2 }, 'token')).toEqual({
      Token: REDACTED,
      deep: [{ TOKEN: REDACTED }],
      tokens: 2,
    });
    const object = redact(JSON.parse('{"__proto__": {"token": 1}, "a": 2}') as TraceValue, 'token');
    expect(JSON.stringify(object)).toBe('{"__proto__":{"token":"[redacted]"},"a":2}');
  });

  test('after its name in a list is redacted, for raw headers and command-line flags', () => {
    expect(redact(['Host', 'here', 'Authorization', 'Bearer x', 'Accept', '*'], 'authorization')).toEqual([
      'Host',
      'here',
      'Authorization',
      REDACTED,
      'Accept',
      '*',
    ]);
    expect(redact(['--password', 'abc', '--password=abc', 'rest'], 'password')).toEqual([
      '--password',
      REDACTED,
      `--password=${REDACTED}`,
      'rest',
    ]);
  });

  test('before its name, as host objects are recorded, is redacted', () => {
    expect(redact([[3, 0, SECRET, 'token'], `and ${SECRET}`], 'token')).toEqual([
      [3, 0, REDACTED, 'token'],
      `and ${REDACTED}`,
    ]);
    expect(redact([3, 0, [1, 0, 'Object', null], 'token'], 'token')).toEqual([3, 0, REDACTED, 'token']);
    expect(redact(['a', 'b', 'c', 'token'], 'token')).toEqual(['a', 'b', 'c', 'token']);
  });

  test('in a text is redacted, for header lines, JSON members and parameters', () => {
    const request = `GET /?a=1&token=abc&b=2 HTTP/1.1\r\nHost: here\r\nToken: a b c\r\n\r\n{"token": "a\\"b", "not": "a"}`;
    expect(redact(request, 'token')).toBe(
      `GET /?a=1&token=${REDACTED}&b=2 HTTP/1.1\r\nHost: here\r\nToken: ${REDACTED}\r\n\r\n{"token": "${REDACTED}", "not": "a"}`,
    );
    expect(redact('mytoken=1 token-x: 2 atoken: 3', 'token')).toBe('mytoken=1 token-x: 2 atoken: 3');
    const bytes = redact(Buffer.from(request), 'token') as Uint8Array;
    expect(Buffer.from(bytes).toString()).toBe(
      `GET /?a=1&token=***&b=2 HTTP/1.1\r\nHost: here\r\nToken: *****\r\n\r\n{"token": "****", "not": "a"}`,
    );
  });

  test('is redacted wherever else it occurs, unless it is a common word', () => {
    const value = {
      key: SECRET,
      url: `https://here/?x=${SECRET}#${SECRET}`,
      raw: Buffer.from(`…${SECRET}…`),
      wide: Buffer.from(`…${SECRET}…`, 'utf16le'),
      short: 'abc',
    };
    const { url, raw, wide, short } = redact(value, 'key', 'none') as Record<string, TraceValue>;
    expect(url).toBe(`https://here/?x=${REDACTED}#${REDACTED}`);
    expect(Buffer.from(raw as Uint8Array).toString()).toBe(`…${'*'.repeat(SECRET.length)}…`);
    expect((wide as Uint8Array).length).toBe(value.wide.length);
    expect(Buffer.from(wide as Uint8Array).toString('utf16le')).not.toContain('horse');
    expect(short).toBe('abc');
    expect(redact({ key: 'abc', other: 'abcdef' }, 'key')).toEqual({ key: REDACTED, other: 'abcdef' });
  });

  test('does not occur in any redacted value', () => {
    fc.assert(
      fc.property(fc.array(values, { maxLength: 6 }), (list) => {
        const redactedValue = redact([...list, { token: SECRET }, `${SECRET}!`], 'token');
        const bytes: Uint8Array[] = [];
        const text = JSON.stringify(redactedValue, (_, value: unknown) => {
          if (value instanceof Uint8Array) bytes.push(value);
          return typeof value === 'bigint' ? String(value) : value;
        });
        expect(text).not.toContain(SECRET);
        for (const each of bytes) expect(Buffer.from(each).includes(SECRET)).toBe(false);
      }),
      { numRuns: 200, seed: 4 },
    );
  });

  test('is redacted by its format where no name is present', () => {
    const basic = 'Basic YWxhZGRpbjpvcGVuc2VzYW1l';
    expect(redact([0, 0, basic], 'Authorization')).toEqual([0, 0, REDACTED]);
    expect(redact([[0, 0, basic], `sent ${basic}.`, Buffer.from(basic)], 'authorization')).toEqual([
      [0, 0, REDACTED],
      `sent ${REDACTED}.`,
      new Uint8Array(Buffer.from('*'.repeat(basic.length))),
    ]);
    expect(redact(['a=1; session=2', 'a=1; HttpOnly', 'no cookie', 'x > y; z'], 'cookie')).toEqual([
      REDACTED,
      REDACTED,
      'no cookie',
      'x > y; z',
    ]);
    expect(redact([basic, 'a=1; b=2'], 'other')).toEqual([`Basic ${REDACTED}`, 'a=1; b=2']);
  });

  test('is redacted where a pattern matches', () => {
    const text = 'the key sk_live_1234 and sk_live_56, not SK_LIVE_7';
    expect(redact(text, '/sk_live_\\w+/')).toBe(`the key ${REDACTED} and ${REDACTED}, not SK_LIVE_7`);
    expect(redact(text, '/sk_live_\\w+/gi', 'none')).toBe(`the key ${REDACTED} and ${REDACTED}, not ${REDACTED}`);
    const bytes = redact(Buffer.from(text), '/sk_live_\\w{2,}/') as Uint8Array;
    expect(Buffer.from(bytes).toString()).toBe('the key ************ and **********, not SK_LIVE_7');
    expect(() => new Redaction(['/(/'])).toThrow('/(/ is not a regular expression: ');
  });

  test('can be any text or bytes with `*`', () => {
    expect(redact({ a: ['b', 1, null, Buffer.from('c')] }, '*')).toEqual({
      a: [REDACTED, 1, null, new Uint8Array(Buffer.from('*'))],
    });
    const redaction = new Redaction(['*']);
    const start: TraceEvent = { type: 'outcome', source: 6, value: ['start', 0, { cwd: '/home', timeOrigin: 5 }] };
    expect(new EventRedaction(redaction).redact(start)).toEqual({
      ...start,
      value: ['start', 0, { cwd: REDACTED, timeOrigin: 5 }],
    });
    const phase: TraceEvent = { type: 'scheduler', round: 1, turns: 1, kind: 'phase', key: '7', value: undefined };
    expect(new EventRedaction(redaction).redact(phase)).toEqual(phase);
  });

  test('may have a name with any characters', () => {
    expect(redact({ 'a.b': 1, axb: 2 }, 'a.b')).toEqual({ 'a.b': REDACTED, axb: 2 });
    expect(() => new Redaction(['a', ''])).toThrow('a name to redact is empty');
  });
});

test('values without secrets are unchanged', () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(redact(value, 'a name that nothing has')).toEqual(value);
    }),
    { numRuns: 200, seed: 5 },
  );
});

test('a redacted recording has the same events and segments, lists the redacted names, and has no snapshots', () => {
  const directory = temporaryDirectory();
  const at = (round: number, value: TraceValue): TraceEvent => ({
    type: 'scheduler',
    round,
    turns: round,
    kind: 'came',
    key: `for ${SECRET}`,
    value,
  });
  const recording = openRecording(
    makeRecording(directory, {
      manifest: {
        ...MANIFEST,
        argv: ['node', '/shop.ts', '--token', SECRET],
        env: { TOKEN: SECRET, TZ: 'UTC' },
        notes: { token: [1], kept: true },
      },
      segments: [
        {
          worker: 0,
          events: [at(1, 1), { type: 'outcome', source: 6, value: ['start', 0, { env: { TOKEN: SECRET } }] }],
          next: 7,
        },
        { worker: 0, phase: 7, events: [at(2, [`a ${SECRET}`])], next: 9 },
        { worker: 0, phase: 9, events: [], next: 'ended' },
        { worker: 1, epoch: 2, events: [{ type: 'messages', round: 1, turns: 3, worker: 0, count: 2 }] },
        { worker: 2, events: [], next: 'ended' },
      ],
    }),
  );
  const into = join(directory, 'redacted');
  redactRecording(recording, into, new Redaction(['token']));
  const redactedValue = openRecording(into);
  expect(redactedValue.manifest).toMatchObject({
    argv: ['node', '/shop.ts', '--token', REDACTED],
    env: { TOKEN: REDACTED, TZ: 'UTC' },
    notes: { token: REDACTED, kept: true },
    redacted: ['token'],
  });
  expect(redactedValue.snapshots()).toEqual([]);
  expect(redactedValue.manifest.modules.map(({ sha256 }) => redactedValue.source(sha256))).toEqual([SOURCE]);
  const epochsOf = (of: typeof redactedValue): unknown[] =>
    of.traces().map(({ worker, epoch, phases }) => ({ worker, life: epoch, phases }));
  expect(epochsOf(redactedValue)).toEqual(epochsOf(recording));
  const key = `for ${REDACTED}`;
  const trace = redactedValue.trace(0, 0);
  expect(takeAll(trace)).toEqual([
    { ...at(1, 1), key },
    { type: 'outcome', source: 6, value: ['start', 0, { env: { TOKEN: REDACTED } }] },
    { ...at(2, [`a ${REDACTED}`]), key },
  ]);
  expect(trace.end.reason).toBe('ended');
  const other = redactedValue.trace(1, 2);
  expect([takeAll(other).length, other.end.reason]).toEqual([1, 'cut off']);
  expect(JSON.stringify(contents(into))).not.toContain(Buffer.from(SECRET).toString('hex'));
  mkdirSync(join(directory, 'there'));
  expect(() => redactRecording(recording, join(directory, 'there'), new Redaction(['token']))).toThrow('EEXIST');
});
