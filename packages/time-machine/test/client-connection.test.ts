// Conversations with the time machine, compared with golden files, and general promises: every message is answered, in
// any order, and no client blocks another one.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Client, type RequestError } from '@turntable/time-machine/client';
import { ERROR_CODES, METHODS, PROTOCOL_VERSION, SERVER_NOTIFICATIONS } from '@turntable/time-machine/protocol';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { validationError } from '../src/protocol/schema.ts';
import { buildRunIndex, type RandomStep } from './random-runs.ts';
import { SHOP_STEPS } from './shop-steps.ts';

function serverOf(all: readonly RandomStep[]): TimeMachineServer {
  const about = { name: 'recordings/shop', from: undefined, verdict: 'same' };
  return new TimeMachineServer(buildRunIndex(all), about, '1.2.3');
}

const HELLO = { id: 1, method: 'hello', params: { version: PROTOCOL_VERSION } };

/** Sends messages one after the other, each after the answer to the one before; returns all messages of both sides. */
async function transcriptOf(messages: readonly (object | string)[], server = serverOf(SHOP_STEPS)): Promise<string> {
  const wire = server.openWire();
  const lines: string[] = [];
  let open = 0;
  let resolveAnswer: () => void = () => {};
  wire.onText((text) => {
    lines.push(`<- ${text}`);
    if ('method' in (JSON.parse(text) as object)) return;
    open--;
    resolveAnswer();
  });
  for (const message of messages) {
    const text = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message });
    lines.push(`-> ${text}`);
    if (typeof message === 'object' && !('id' in message)) {
      wire.send(text);
      continue;
    }
    open++;
    const answer = new Promise<void>((settle) => (resolveAnswer = settle));
    wire.send(text);
    if (open > 0) await answer;
  }
  wire.close();
  return `${lines.join('\n')}\n`;
}

const goldenPath = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);

test('moves give the golden conversation', async () => {
  const transcript = await transcriptOf([
    HELLO,
    { id: 2, method: 'move', params: { move: 'output' } },
    { id: 3, method: 'move', params: { move: 'sender' } },
    { id: 4, method: 'move', params: { move: 'receiver', arguments: { number: 2 } } },
    { id: 5, method: 'find', params: { move: 'uncaught', from: '0.1' } },
    { id: 6, method: 'cursor' },
    { id: 7, method: 'move', params: { move: 'turn', direction: 'backward' } },
    { id: 8, method: 'move', params: { move: 'turn', direction: 'backward' } },
    { id: 9, method: 'move', params: { move: 'goto', arguments: { target: 'end' } } },
    { id: 10, method: 'tasks', params: { from: 1, count: 2, worker: 1 } },
    { id: 11, method: 'receivers', params: { task: 1, count: 10 } },
    { id: 12, method: 'actors', params: { count: 10 } },
    { id: 13, method: 'completions', params: { move: 'actor', parameter: 'name', prefix: 'actor 1', count: 10 } },
    { id: 14, method: 'completions', params: { move: 'callback', parameter: 'source', count: 10 } },
  ]);
  await expect(transcript).toMatchFileSnapshot(goldenPath('moves'));
});

test('invalid messages are answered with errors and do not end the connection', async () => {
  const transcript = await transcriptOf([
    'nothing of the kind',
    '[]',
    '[{"jsonrpc":"2.0","id":1,"method":"hello","params":{"version":2}}]',
    '"text"',
    '{"id":1,"method":"hello","params":{"version":2}}',
    { id: 'a', method: 'hello', params: { version: PROTOCOL_VERSION } },
    { id: 1.5, method: 'hello', params: { version: PROTOCOL_VERSION } },
    { id: 1, method: 'hello', params: { version: PROTOCOL_VERSION }, more: true },
    { id: 2, method: 'cursor' },
    { id: 3, method: 'hello', params: { version: 99 } },
    { id: 4, method: 'hello' },
    HELLO,
    { id: 5, method: 'hello', params: { version: PROTOCOL_VERSION } },
    { id: 6, method: 'constructor' },
    { id: 7, method: 'walk' },
    { id: 8, method: 'cursor', params: [] },
    { id: 9, method: 'cursor', params: { at: 1 } },
    { id: 10, method: 'move', params: { move: 'teleport' } },
    { id: 11, method: 'move', params: { move: 'sender', direction: 'backward' } },
    { id: 12, method: 'move', params: { move: 'turn', direction: 'sideways' } },
    { id: 13, method: 'move', params: { move: 'goto', arguments: { target: '7.7' } } },
    { id: 14, method: 'move', params: { move: 'goto', arguments: { target: '1:3.1' } } },
    { id: 15, method: 'find', params: { move: 'turn', from: 'here' } },
    { id: 16, method: 'receivers', params: { task: 99, count: 1 } },
    { id: 17, method: 'tasks', params: { from: 1, count: 100_000 } },
    { method: 'cancel', params: { id: 99 } },
    { method: 'unheard of' },
    { id: 18, method: 'cursor' },
  ]);
  const redacted = transcript.replace(/^<- .*"moves".*$/m, '<- (what hello answers)');
  await expect(redacted).toMatchFileSnapshot(goldenPath('invalid-requests'));
});

test('all clients share one position and are notified of moves', async () => {
  const server = serverOf(SHOP_STEPS);
  const [one, other] = [new Client(server.openWire()), new Client(server.openWire())];
  const moved: unknown[] = [];
  one.onMoved = ({ client: by, cursor: where }) => moved.push(['one', by, where.order]);
  const [, hello] = [await one.hello('one'), await other.hello('other')];
  expect(hello.client).toBe(2);
  const redacted = new Promise<void>((settle) => {
    one.onMoved = ({ client: by, cursor: where }) => {
      moved.push(['one', by, where.order]);
      settle();
    };
  });
  other.onMoved = ({ client: by }) => moved.push(['other', by]);
  const { cursor: where } = await other.request('move', { move: 'goto', arguments: { target: 'end' } });
  await redacted;
  expect(moved).toEqual([['one', 2, 5]]);
  expect(await one.request('cursor', {})).toEqual(where);
  // `find` does not move the position.
  await one.request('find', { move: 'goto', arguments: { target: 'start' } });
  expect(await other.request('cursor', {})).toEqual(where);
  expect(moved.length).toBe(1);
});

/** Enough tasks for a search with several pauses. */
const LONG_RUN_TASKS = 50_000;

function longServer(): TimeMachineServer {
  const step: RandomStep = { action: 'run', thread: 0, sends: 0 };
  return serverOf(Array.from({ length: LONG_RUN_TASKS }, () => step));
}

test('a search reports progress, lets other requests run, and can be cancelled', async () => {
  const server = longServer();
  const [one, other] = [new Client(server.openWire()), new Client(server.openWire())];
  await one.hello('one');
  await other.hello('other');
  const done: number[] = [];
  const order: string[] = [];
  const search = { move: 'callback' } as const;
  const long = one
    .request('move', search, { onProgress: (some) => void done.push(some) })
    .then(() => order.push('long'));
  const short = other.request('cursor', {}).then(() => order.push('short'));
  await Promise.all([long, short]);
  expect(order).toEqual(['short', 'long']);
  expect(done.length).toBeGreaterThan(1);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(Math.max(...done)).toBeLessThanOrEqual(LONG_RUN_TASKS);

  const before = await one.request('cursor', {});
  const controller = new AbortController();
  const cancelled = one.request('move', search, { signal: controller.signal, onProgress: () => controller.abort() });
  await expect(cancelled).rejects.toMatchObject({ code: ERROR_CODES.cancelled, message: 'the request was cancelled' });
  // Other clients are served between two pauses.
  const later = new AbortController();
  const interrupted = one.request('move', search, { signal: later.signal });
  setImmediate(() => later.abort());
  await expect(interrupted).rejects.toMatchObject({ code: ERROR_CODES.cancelled });
  const waits = new AbortController();
  // A move that waits for another one can be cancelled; the other one continues.
  const first = one.request('move', search);
  const second = one.request('move', { move: 'goto', arguments: { target: 'end' } }, { signal: waits.signal });
  waits.abort();
  await expect(second).rejects.toMatchObject({ code: ERROR_CODES.cancelled });
  expect(await first).toMatchObject({ found: false, reason: 'there is no later host callback' });
  expect(await one.request('cursor', {})).toEqual(before);
});

test('a cancelled request fails, and other requests are answered', async () => {
  const server = longServer();
  const [one, other] = [new Client(server.openWire()), new Client(server.openWire())];
  await one.hello('one');
  await other.hello('other');
  const methods = one.request('find', { move: 'callback' });
  one.close();
  await expect(methods).rejects.toThrow('no answer: the client closed the connection');
  await expect(one.request('cursor', {})).rejects.toThrow('no answer: the client closed the connection');
  expect((await other.request('cursor', {})).order).toBe(1);
});

test('all answers are valid for their schemas', async () => {
  const transcript = await transcriptOf([
    HELLO,
    { id: 2, method: 'move', params: { move: 'uncaught' } },
    { id: 3, method: 'tasks', params: { from: 9, count: 9, direction: 'backward' } },
    { id: 4, method: 'receivers', params: { task: 1, count: 1 } },
    { id: 5, method: 'actors', params: { actor: '*1*', count: 1 } },
    { id: 6, method: 'completions', params: { move: 'worker', parameter: 'worker', count: 9 } },
  ]);
  const methods = new Map<number, keyof typeof METHODS>();
  let count = 0;
  for (const line of transcript.trimEnd().split('\n')) {
    const { id, method, params, result } = JSON.parse(line.slice(3)) as {
      id: number;
      method?: string;
      params?: unknown;
      result?: unknown;
    };
    if (line.startsWith('->')) methods.set(id, method as keyof typeof METHODS);
    else if (method !== undefined)
      expect(
        validationError(SERVER_NOTIFICATIONS[method as keyof typeof SERVER_NOTIFICATIONS].params, params, ''),
      ).toBeUndefined();
    else {
      expect(validationError(METHODS[methods.get(id) as keyof typeof METHODS].result, result, '')).toBeUndefined();
      count++;
    }
  }
  expect(count).toBe(6);
});

test('only the maximum number of requests of a client is answered at the same time', async () => {
  const client = new Client(longServer().openWire());
  await client.hello('one');
  const methods = Array.from({ length: 70 }, () =>
    client.request('find', { move: 'callback' }).catch((error: RequestError) => error.message),
  );
  const answers = await Promise.all(methods);
  const refused = answers.filter((each) => typeof each === 'string');
  expect(refused.length).toBe(6);
  expect(refused[0]).toMatch(/^64 requests are open/);
});

test('messages nested up to 64 levels are read, and deeper ones are refused without ending the connection', async () => {
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const request = (params: string): string => `{"jsonrpc":"2.0","id":2,"method":"cursor","params":${params}}`;
  const wire = serverOf(SHOP_STEPS).openWire();
  const answers: string[] = [];
  let resolveAnswer: () => void = () => {};
  wire.onText((text) => {
    answers.push((JSON.parse(text) as { error: { message: string } }).error.message);
    resolveAnswer();
  });
  // The message itself is the first level. Brackets in a string are no levels.
  const texts = [nested(63), nested(64), nested(6000), '['.repeat(100_000), JSON.stringify(`\\"${nested(99)}`)];
  for (const text of texts) {
    const answered = new Promise<void>((settle) => (resolveAnswer = settle));
    wire.send(request(text));
    await answered;
  }
  const tooDeep = 'a message may be nested at most 64 levels deep';
  const notGreeted = expect.stringContaining('the first request must be hello') as string;
  expect(answers).toEqual([notGreeted, tooDeep, tooDeep, tooDeep, notGreeted]);
});
