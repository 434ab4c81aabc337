// What the server sends is redacted: texts of the program by the rules for texts, values by their names. Positions,
// files, sources and names of actors stay.
import { Redaction } from '@turntable/recording/redaction';
import { METHODS, type MethodName, type ResultOf } from '@turntable/time-machine/protocol';
import { expect, test } from 'vitest';
import { redactResult } from '../src/server/redacted-result.ts';

const SECRET = '7f3a9c1e5b2d';

function redact<M extends MethodName>(method: M, result: ResultOf<M>, expression?: string): unknown {
  return redactResult(METHODS[method].result, result, new Redaction(), expression);
}

const text = (preview: string): { kind: string; preview: string } => ({ kind: 'string', preview });

test('variables and properties are redacted by name', () => {
  const variable = (name: string, value: { kind: string; preview: string; id?: number; length?: number }) => ({
    name,
    kind: 'variable',
    isEnumerable: true,
    value,
  });
  const entries = [
    variable('password', text(`'${SECRET}'`)),
    variable('apiKey', { ...text(`'${SECRET}`), id: 7, length: 5000 }),
    variable('token', { kind: 'undefined', preview: 'undefined' }),
    variable('pin', { kind: 'number', preview: '4711' }),
    variable('maxTokens', { kind: 'number', preview: '4711' }),
    variable('user', { kind: 'object', preview: `{ name: 'ann', secret: '${SECRET}' }`, id: 8 }),
    variable('token', { kind: 'object', preview: `Token { kind: 'name' }`, id: 9 }),
    variable('name', text(`'ann'`)),
  ];
  const redacted = redact('variables', { entries }) as ResultOf<'variables'>;
  expect(redacted.entries.map(({ value }) => value)).toEqual([
    text(`'[redacted]'`),
    text(`'[redacted]`),
    { kind: 'undefined', preview: 'undefined' },
    { kind: 'number', preview: '[redacted]' },
    { kind: 'number', preview: '4711' },
    { kind: 'object', preview: `{ name: 'ann', secret: '[redacted]' }`, id: 8 },
    { kind: 'object', preview: `Token { kind: 'name' }`, id: 9 },
    text(`'ann'`),
  ]);
});

test.each(['user.password', 'headers["x-api-key"]', 'this.#token', 'secret', 'await login.secret '])(
  'the value of %s is redacted, its error is not',
  (expression) => {
    expect(redact('evaluate', { value: text(`'${SECRET}'`), isPure: true }, expression)).toEqual({
      value: text(`'[redacted]'`),
      isPure: true,
    });
    const failed = { error: 'ReferenceError: password is not defined', isPure: true };
    expect(redact('evaluate', failed, expression)).toEqual(failed);
  },
);

test('the value of any other expression is redacted by the rules for texts', () => {
  expect(redact('evaluate', { value: text(`'Bearer ${SECRET}'`), isPure: true }, 'headers.accept')).toEqual({
    value: text(`'Bearer [redacted]'`),
    isPure: true,
  });
});

test('differences of states are redacted by their paths', () => {
  const entry = (path: string) => ({ actor: 'Cart#1', path, before: `'${SECRET}'`, after: `'${SECRET}x'` });
  const result = { entries: [entry('this.user.password'), entry('this.count')], total: 2, isTruncated: false };
  expect((redact('difference', result) as typeof result).entries).toEqual([
    { actor: 'Cart#1', path: 'this.user.password', before: `'[redacted]'`, after: `'[redacted]'` },
    entry('this.count'),
  ]);
});

test('requests, searches and events are redacted as texts', () => {
  const request = { number: 1, method: 'GET', url: `/pay?access_token=${SECRET}&n=1`, worker: 0, actor: 'main' };
  expect(redact('requests', { requests: [request], total: 1 })).toEqual({
    requests: [{ ...request, url: '/pay?access_token=[redacted]&n=1' }],
    total: 1,
  });
  const event = { position: '0.1', order: 1, time: 0, kind: 'stdout', value: 30, text: `password=${SECRET}` } as const;
  expect(redact('events', { events: [event] })).toEqual({ events: [{ ...event, text: 'password=[redacted]' }] });
});

test('sources and positions stay', () => {
  const source = { source: `const password = '${SECRET}';` };
  expect(redact('source', source)).toEqual(source);
  const files = { files: [`/shop/token=${SECRET}/app.ts`] };
  expect(redact('sources', files)).toEqual(files);
});

test('a redacted text is no longer than the schema allows', () => {
  const long = `${'x'.repeat(9_988)} password=ab`;
  const redacted = redact('evaluate', { error: long, isPure: true }) as { error: string };
  expect(redacted.error).toHaveLength(10_000);
});
