// Tests the lines of a task and its events, as `turntable tasks` prints them.
import { expect, it } from 'vitest';
import { sanitizeText, taskLines } from '../src/replay/task-lines.ts';

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
  expect(sanitizeText('a\u001B[2Jb\u0000\tc')).toBe('a\uFFFD[2Jb\uFFFD\uFFFDc');
  const events = [{ kind: 'request', value: 'GET /\u0007' }] as const;
  expect(lines({ title: 'x\u0007y', events })).toEqual([
    '12  +0.250s  the main thread       x\uFFFDy',
    'request GET /\uFFFD',
  ]);
});
