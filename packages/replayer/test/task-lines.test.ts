// Tests the lines of a task and its events, as `turntable tasks` prints them.
import { expect, it } from 'vitest';
import { sanitizeColouredLines, sanitizeLines, sanitizeText } from '../src/output/terminal-text.ts';
import { taskLines } from '../src/replay/task-lines.ts';

type PrintedTask = Parameters<typeof taskLines>[0];
const TASK: PrintedTask = {
  order: 12,
  worker: 0,
  epoch: 0,
  time: 1_000_250,
  sentCount: 0,
  title: 'a timer fires',
  events: [],
};
const lines = (changes: Partial<PrintedTask> = {}): string[] =>
  [...taskLines({ ...TASK, ...changes }, 1_000_000)].map((line) => line.replace(/\n$/, '').trimStart());

it('has the order, the time since the start, the thread and the title', () => {
  expect([...taskLines(TASK, 1_000_000)]).toEqual(['      12  +0.250s  the main thread       a timer fires\n']);
  expect(lines({ worker: 2, turn: 7, title: 'Cart#1.add' })).toEqual(['12  +0.250s  worker 2, turn 7      Cart#1.add']);
  expect(lines({ worker: 2, epoch: 1, turn: 7 })).toEqual(['12  +0.250s  worker 2, epoch 1, turn 7  a timer fires']);
});

it('has its sender, the number of its messages, its output and its location', () => {
  const events = [
    { kind: 'stdout', value: 20 },
    { kind: 'stderr', value: '3' },
    { kind: 'device', value: 100 },
  ] as const;
  expect(lines({ sender: 3, sentCount: 2, events, methodLocation: 'file:///srv/shop/cart.ts:7' })).toEqual([
    '12  +0.250s  the main thread       a timer fires  (sent by 3, sends 2, prints 23 bytes, cart.ts:7)',
  ]);
  expect(lines({ events: [{ kind: 'stdout', value: 1 }] })[0]).toMatch(/ {2}\(prints 1 byte\)$/);
  expect(lines({ sender: 0 })[0]).toMatch(/ {2}\(sent by 0\)$/);
});

it('has a line for each snapshot before it, and for each error, request and response after it', () => {
  const events = [
    { kind: 'uncaught', value: 'Error: no\n    at add' },
    { kind: 'unhandled', value: 'Error: later' },
    { kind: 'caught', value: 'Error: caught' },
    { kind: 'rejection', value: '' },
    { kind: 'request', value: 'GET /' },
    { kind: 'response', value: 'GET / 200' },
    { kind: 'cut', value: 3 },
    { kind: 'device', value: 'fs' },
  ] as const;
  expect(lines({ worker: 1, events })).toEqual([
    'snapshot 3, worker 1',
    '12  +0.250s  worker 1              a timer fires',
    'uncaught Error: no',
    'uncaught Error: later',
    'throws Error: caught',
    'rejects with',
    'request GET /',
    'response GET / 200',
  ]);
});

it('has no control characters of the recording', () => {
  const events = [{ kind: 'request', value: 'GET /\u0007' }] as const;
  expect(lines({ title: 'x\u0007y', events })).toEqual([
    String.raw`12  +0.250s  the main thread       x\u0007y`,
    String.raw`request GET /\u0007`,
  ]);
});

/** All controls of the terminal and of the direction of text, beside what looks like them. */
const HOSTILE = '\u001B]52;c;eA==\u0007\u009B2J\u0090\r\b\u007F\u0000\u202Ex\u2066\u061C\u2028 é👍�[31m';

it('shows control characters as JSON escapes', () => {
  const shown = String.raw`\u001b]52;c;eA==\u0007\u009b2J\u0090\u000d\u0008\u007f\u0000\u202ex\u2066\u061c\u2028 é👍�[31m`;
  expect(sanitizeText(`${HOSTILE}\n\t`)).toBe(`${shown}${String.raw`\u000a\u0009`}`);
  expect(sanitizeLines(`${HOSTILE}\n\t`)).toBe(`${shown}\n\t`);
  expect(sanitizeColouredLines(`${HOSTILE}\n\t`)).toBe(`${shown}\n\t`);
  expect(JSON.parse(sanitizeLines(JSON.stringify({ [HOSTILE]: HOSTILE }, null, 2)))).toEqual({ [HOSTILE]: HOSTILE });
});

it('keeps the colours of inspected values, and no other sequence', () => {
  expect(sanitizeColouredLines('\u001B[32mtext\u001B[39m \u001B[1mbold\u001B[22m')).toBe(
    '\u001B[32mtext\u001B[39m \u001B[1mbold\u001B[22m',
  );
  for (const sequence of ['[8m', '[2J', '[31;8m', '[38;5;1m', '[5m', '[7m', '[H', 'c', ']0;x'])
    expect(sanitizeColouredLines(`\u001B${sequence}`)).toBe(String.raw`\u001b${sequence}`);
});
