// Limits of a session: of headers and messages, of clients of a port, of progress events, and what is searched for a
// log point or an error.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { DapPort } from '@turntable/dap';
import type { MoveProgress } from '@turntable/time-machine/client';
import { DapClient } from '../../../test/dap/dap-client.ts';
import { CART_PATH, scriptedServer } from '../../time-machine/test/scripted-server.ts';
import { ProgressReporter } from '../src/progress-reporter.ts';
import { connectEditor, embedderOf, INITIALIZE, launchCart, startCart } from './scripted-session.ts';

const source = { path: CART_PATH };

/** A request with a header of `length` bytes, without the empty line at its end. */
function requestWithHeader(length: number): string {
  const body = JSON.stringify({ seq: 5, type: 'request', command: 'initialize', arguments: INITIALIZE });
  const header = `Content-Length: ${body.length}\r\nContent-Type: `;
  return `${header}${'x'.repeat(length - header.length)}\r\n\r\n${body}`;
}

function outputsOf(client: DapClient): unknown[] {
  return client.log.received.filter(({ event }) => event === 'output').map(({ body }) => body?.['output']);
}

test.each([1023, 1024])('a header of %i bytes is read, in one piece and in two', async (length) => {
  for (const split of [0, 500]) {
    const client = connectEditor(embedderOf(scriptedServer()));
    const text = requestWithHeader(length);
    client.write(text.slice(0, split));
    client.write(text.slice(split));
    expect(await client.log.whenReceived(({ type }) => type === 'response')).toMatchObject({ success: true });
  }
});

test.each([1025, 3000])('a header of %i bytes is refused', async (length) => {
  const client = connectEditor(embedderOf(scriptedServer()));
  client.write(requestWithHeader(length));
  await client.closed;
  expect(outputsOf(client)).toEqual(['malformed message: a message must start with a header of at most 1024 bytes\n']);
});

test.each([
  [2 ** 24, 0],
  [2 ** 24 + 1, 1],
])('a message of %i bytes: %i errors', async (length, errors) => {
  const client = connectEditor(embedderOf(scriptedServer()));
  client.write(`content-length: ${length}\r\n\r\n{}`);
  client.end();
  await client.closed;
  expect(outputsOf(client)).toHaveLength(errors);
});

test('a port serves 32 clients at once, and a further one when another has left', async () => {
  const port = new DapPort(embedderOf(scriptedServer()), 'token');
  onTestFinished(() => port.close());
  expect(port.token).toBe('token');
  const portNumber = await port.listen(0);
  const open = async (): Promise<Socket> => {
    const socket = connect(portNumber, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const sockets: Socket[] = [];
  for (let i = 0; i < 32; i++) sockets.push(await open());
  const [first] = sockets as [Socket];
  const refused = await open();
  await once(refused, 'close');
  expect(sockets.some(({ destroyed }) => destroyed)).toBe(false);
  first.end();
  await once(first.resume(), 'close');
  const accepted = await open();
  accepted.write('nothing\r\n\r\n');
  const [answer] = (await once(accepted, 'data')) as [Buffer];
  expect(answer.toString()).toContain('malformed message');
});

test('a client that loses its connection leaves its place to another one', async () => {
  const port = new DapPort(embedderOf(scriptedServer()));
  onTestFinished(() => port.close());
  const portNumber = await port.listen(0);
  for (let i = 0; i < 40; i++) {
    const socket = connect(portNumber, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('nothing\r\n');
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  for (;;) {
    // The port notices a lost connection a little later.
    const socket = connect(portNumber, '127.0.0.1').on('error', () => {});
    socket.write('nothing\r\n\r\n');
    const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown];
    if (!(answer instanceof Buffer)) continue;
    expect(answer.toString()).toContain('malformed message');
    break;
  }
});

test('a port closes although clients are connected', async () => {
  const port = new DapPort(embedderOf(scriptedServer()));
  const socket = connect(await port.listen(0), '127.0.0.1');
  const client = new DapClient(socket, socket);
  await client.request('initialize', INITIALIZE);
  await port.close();
  await client.closed;
});

test('a port that is in use is reported', async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  await new Promise<void>((settle) => other.listen(0, '127.0.0.1', settle));
  const port = new DapPort(embedderOf(scriptedServer()));
  await expect(port.listen((other.address() as AddressInfo).port)).rejects.toThrow('EADDRINUSE');
});

test('a long invalid value is shown in part', async () => {
  const client = connectEditor(embedderOf(scriptedServer()));
  await client.request('initialize', INITIALIZE);
  const refusal = async (threads: string): Promise<string | undefined> =>
    (await client.requestRaw('launch', { recording: 'cart', threads })).message;
  expect(await refusal('x'.repeat(98))).toMatch(/not "x{98}"$/);
  expect(await refusal('x'.repeat(99))).toMatch(/not "x{99}…$/);
});

test('progress is shown from the second update on, grows, stays below 100, and ends once', () => {
  const update = fc.tuple(fc.nat(120), fc.nat(100));
  fc.assert(
    fc.property(fc.array(update), fc.boolean(), fc.boolean(), (updates, isShownAtOnce, isSupported) => {
      const events: (readonly [string, Record<string, unknown>])[] = [];
      const reporter = new ProgressReporter(
        (event, body) => void events.push([event, body as Record<string, unknown>]),
      );
      reporter.isSupported = isSupported;
      const item = reporter.start('a move', new AbortController(), isShownAtOnce);
      for (const [done, total] of updates) item.onProgress?.(done, total);
      item.end();
      item.end();
      // The model: percentages in order, from the first shown update on, without repetitions and steps back.
      const shown: number[] = [];
      for (const [done, total] of isShownAtOnce ? updates : updates.slice(1)) {
        const percentage = Math.min(99, Math.floor((100 * done) / Math.max(1, total)));
        if (percentage > (shown.at(-1) ?? (isShownAtOnce ? 0 : -1))) shown.push(percentage);
      }
      const isShown = isSupported && (isShownAtOnce || updates.length > 1);
      expect(events).toEqual(
        isShown
          ? [
              ['progressStart', { progressId: 'turntable-1', title: 'a move', cancellable: true }],
              ...shown.map((percentage) => ['progressUpdate', { progressId: 'turntable-1', percentage }]),
              ['progressEnd', { progressId: 'turntable-1' }],
            ]
          : [],
      );
    }),
  );
});

test('a client cancels the operation whose progress it names, until the operation ends', () => {
  const reporter = new ProgressReporter(() => {});
  const controllers = [new AbortController(), new AbortController(), new AbortController()];
  const items = controllers.map((controller): MoveProgress => reporter.start('x', controller));
  expect(items.map(({ signal }) => signal)).toEqual(controllers.map(({ signal }) => signal));
  items[2]?.end();
  for (const id of ['turntable-2', 'turntable-3', 'turntable-4']) reporter.cancel(id);
  expect(controllers.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
});

test('of several errors of a task, the one at the stop is shown', async () => {
  const thrown = (line: number, text: string) => ({ line, events: [['caught', text]] as const });
  const client = await launchCart({
    tasks: [
      { kind: 'evaluation', actor: 'main', method: '', statements: [thrown(4, 'Error: in another task')] },
      { statements: [thrown(5, 'TypeError: one'), 7, thrown(10, 'plain text: two'), thrown(14, 'RangeError')] },
    ],
  });
  await client.request('setExceptionBreakpoints', { filters: [], filterOptions: [{ filterId: 'all' }] });
  await client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'caught' }] });
  await client.request('configurationDone');
  await client.nextStop();
  const infos: unknown[] = [];
  const note = async (): Promise<void> => {
    const { exceptionId, description, breakMode, details } = await client.request('exceptionInfo');
    infos.push([exceptionId, description, breakMode, (details as { message?: string } | undefined)?.message]);
  };
  for (let i = 0; i < 4; i++) {
    await client.runToStop('continue', { threadId: 1 });
    await note();
  }
  await client.runToStop('reverseContinue', { threadId: 1 });
  await note();
  expect(infos).toEqual([
    ['Error', 'Error: in another task', 'always', 'in another task'],
    ['TypeError', 'TypeError: one', 'always', 'one'],
    ['Error', 'plain text: two', 'always', 'plain text: two'],
    ['RangeError', 'RangeError', 'always', 'RangeError'],
    ['Error', 'plain text: two', 'always', 'plain text: two'],
  ]);
});

test('a move stops at breakpoints that the client has set before it, without waiting for their response', async () => {
  const client = await startCart();
  client.send('setBreakpoints', { source, breakpoints: [{ line: 4 }] });
  client.send('continue', { threadId: 1 });
  expect(await client.nextStop()).toMatchObject({ reason: 'breakpoint' });
});

test('errors of requests for a stop that is over are not shown to the user', async () => {
  const client = await startCart();
  const shown = async (command: string, args: object): Promise<unknown> => {
    const { success, body } = await client.requestRaw(command, args);
    return { success, showUser: (body?.['error'] as { showUser?: boolean } | undefined)?.showUser };
  };
  const quiet = { success: false, showUser: false };
  expect(await shown('scopes', { frameId: 999 })).toEqual(quiet);
  expect(await shown('restartFrame', { frameId: 999 })).toEqual({ success: false, showUser: true });
  await client.request('terminate');
  expect(await shown('stackTrace', { threadId: 1 })).toEqual(quiet);
});

test('an error that nothing caught is shown as unhandled', async () => {
  const client = await launchCart({
    tasks: [
      { kind: 'evaluation', actor: 'main', method: '', statements: [{ line: 4, events: [['uncaught', 'Error: x']] }] },
    ],
  });
  await client.request('setExceptionBreakpoints', { filters: ['uncaught'] });
  await client.request('configurationDone');
  await client.nextStop();
  await client.runToStop('continue', { threadId: 1 });
  expect(await client.request('exceptionInfo')).toMatchObject({ breakMode: 'unhandled', description: 'Error: x' });
});

test('a log point whose search fails prints the reason, and one that was removed prints nothing', async () => {
  const client = await launchCart({
    isMet: (condition) => {
      if (condition === 'bad') throw new Error('no value');
      return true;
    },
  });
  const setLog = (...breakpoints: readonly object[]): Promise<unknown> =>
    client.request('setBreakpoints', { source, breakpoints });
  await setLog({ line: 7, logMessage: 'removed' });
  await setLog(
    { line: 10, logMessage: 'failing', condition: 'bad' },
    { line: 10, logMessage: 'cost $5 in ${a} {b} {c {d} e} } `f` \\' },
    { line: 10, logMessage: 'open { brace `' },
  );
  await client.request('configurationDone');
  await client.nextStop();
  while (outputsOf(client).length < 3) await new Promise(setImmediate);
  expect(outputsOf(client)).toEqual([
    expect.stringMatching(/^failing: ./),
    '1.1:1.1  ["cost $5 in $", (a), " ", (b), " ", (c {d} e), " } `f` \\\\"] at 10\n',
    '1.1:1.1  ["open { brace `"] at 10\n',
  ]);
});

test('an actor that does not exist at the position has no scopes', async () => {
  const client = await startCart();
  await client.runToStop('turntable/move', { move: 'goto', arguments: { target: 'end' } });
  const { stackFrames } = await client.request('stackTrace', { threadId: 2 });
  const [frame] = stackFrames as unknown as { id: number; name: string }[];
  expect(await client.request('scopes', { frameId: frame?.id })).toHaveProperty('scopes');
  const idle = await client.request('stackTrace', { threadId: 1 });
  const [none] = idle['stackFrames'] as unknown as { id: number; name: string }[];
  expect(await client.request('scopes', { frameId: none?.id })).toEqual({ scopes: [] });
});
