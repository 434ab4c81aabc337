// How a session begins and ends: the recording or program of its configuration, where it first stops, and what it
// closes. A running program's recording is opened again at each pause.
import { expect, test } from 'vitest';
import type { DebugEmbedder, OpenRecording } from '@turntable/dap';
import { Client, type Wire } from '@turntable/time-machine/client';
import type { DapClient, DapMessage } from '../../../test/dap/dap-client.ts';
import { CART_TASKS, scriptedServer } from '../../time-machine/test/scripted-server.ts';
import { connectEditor, INITIALIZE } from './scripted-session.ts';

type Call = readonly [name: 'open' | 'record' | 'path of' | 'close', ...details: unknown[]];

interface LoggingEmbedder extends DebugEmbedder {
  readonly calls: Call[];
}

/** An embedder whose recordings are the first tasks of the cart, one task more at each opening. */
function loggingEmbedder(firstCount = CART_TASKS.length): LoggingEmbedder {
  const calls: Call[] = [];
  let count = firstCount;
  return {
    calls,
    open: (options) => {
      calls.push(['open', options]);
      const number = calls.filter(([name]) => name === 'open').length;
      const server = scriptedServer({ tasks: CART_TASKS.slice(0, count++) });
      const close = async (): Promise<void> => {
        // Closing takes a while.
        for (let i = 0; i < 5; i++) await new Promise(setImmediate);
        calls.push(['close', number]);
        await server.close();
      };
      return Promise.resolve({ client: new Client(server.openWire()), close } satisfies OpenRecording);
    },
    record: (options, onOutput) => {
      calls.push(['record', options]);
      onOutput('stdout', 'hello\n');
      onOutput('stderr', 'oops\n');
      return Promise.resolve('recordings/made');
    },
    recordingPathOf: (pid) => {
      calls.push(['path of', pid]);
      return Promise.resolve(`recordings/${pid}`);
    },
  };
}

async function begin(embedder: DebugEmbedder, command: string, configuration: object): Promise<DapClient> {
  const client = connectEditor(embedder);
  await client.request('initialize', INITIALIZE);
  await client.request(command, configuration);
  await client.nextEvent('initialized');
  return client;
}

const DEFAULTS = {
  phase: undefined,
  isForced: false,
  isFresh: false,
  isTrusted: false,
  requiresIsolation: false,
  showsSecrets: false,
  isLive: false,
};

test.each([
  ['launch', { recording: 'cart' }, [['open', { ...DEFAULTS, path: 'cart' }]]],
  ['launch', { recording: 'cart', phase: 0 }, [['open', { ...DEFAULTS, path: 'cart', phase: 0 }]]],
  ['launch', { recording: 'cart', force: true }, [['open', { ...DEFAULTS, path: 'cart', isForced: true }]]],
  ['launch', { recording: 'cart', rebuild: true }, [['open', { ...DEFAULTS, path: 'cart', isFresh: true }]]],
  ['launch', { recording: 'cart', trusted: true }, [['open', { ...DEFAULTS, path: 'cart', isTrusted: true }]]],
  [
    'launch',
    { recording: 'cart', requireIsolation: true },
    [['open', { ...DEFAULTS, path: 'cart', requiresIsolation: true }]],
  ],
  ['launch', { recording: 'cart', noRedact: true }, [['open', { ...DEFAULTS, path: 'cart', showsSecrets: true }]]],
  ['attach', { recording: 'cart' }, [['open', { ...DEFAULTS, path: 'cart', isLive: true }]]],
  ['attach', { recording: 'cart', pid: 7 }, [['open', { ...DEFAULTS, path: 'cart', isLive: true }]]],
  [
    'attach',
    { pid: 7 },
    [
      ['path of', 7],
      ['open', { ...DEFAULTS, path: 'recordings/7', isLive: true }],
    ],
  ],
  [
    'launch',
    { program: 'app.ts' },
    [
      ['record', { program: 'app.ts', args: [], cwd: undefined, env: {}, flags: [], recordings: undefined }],
      ['open', { ...DEFAULTS, path: 'recordings/made' }],
    ],
  ],
  [
    'launch',
    {
      program: 'app.ts',
      args: ['a', 'b'],
      cwd: '/p',
      env: { PORT: 80, HOME: '/h' },
      flags: ['--trace'],
      recordings: '/r',
      trusted: true,
    },
    [
      [
        'record',
        {
          program: 'app.ts',
          args: ['a', 'b'],
          cwd: '/p',
          env: { PORT: '80', HOME: '/h' },
          flags: ['--trace'],
          recordings: '/r',
        },
      ],
      ['open', { ...DEFAULTS, path: 'recordings/made', isTrusted: true }],
    ],
  ],
])('%s %j opens what the configuration says', async (command, configuration, calls) => {
  const embedder = loggingEmbedder();
  await begin(embedder, command, configuration);
  expect(embedder.calls).toEqual(calls);
});

test.each([
  ['launch', { recording: 'cart' }, '0.1'],
  ['launch', { recording: 'cart', stopAt: 'start' }, '0.1'],
  ['launch', { recording: 'cart', stopAt: 'end' }, '1.2:1.2'],
  ['launch', { program: 'app.ts' }, '1.2:1.2'],
  ['launch', { program: 'app.ts', stopAt: 'start' }, '0.1'],
  ['attach', { pid: 7 }, '1.3'],
  ['attach', { pid: 7, stopAt: 'start' }, '0.1'],
])('%s %j stops at %s', async (command, configuration, position) => {
  const client = await begin(loggingEmbedder(), command, configuration);
  await client.request('configurationDone');
  expect(await client.nextEvent('stopped')).toMatchObject({ reason: 'entry' });
  expect(await client.request('turntable/cursor')).toMatchObject({ position });
});

test.each([
  ['launch', {}, 'either "recording" or "program"'],
  ['launch', { recording: 'cart', program: 'app.ts' }, 'either "recording" or "program"'],
  ['launch', { recording: 'cart', threads: 'many' }, 'threads must be an integer'],
  ['launch', { recording: 'cart', force: 1 }, 'force must be true or false'],
  ['launch', { program: 'app.ts', env: { A: [] } }, 'env must map names to strings or numbers'],
  ['launch', { program: 'app.ts', env: 'A=1' }, 'env must map names to strings or numbers'],
  ['launch', { program: 'app.ts', args: ['a', 1] }, 'args[1] must be a string, not 1'],
  ['attach', {}, 'port is missing'],
  ['attach', { port: 1 }, 'secret is missing'],
  ['attach', { pid: -1 }, 'pid must be an integer from 0 on, not -1'],
])('%s %j is refused, and the client can correct it', async (command, configuration, message) => {
  const embedder = loggingEmbedder();
  const client = connectEditor(embedder);
  await client.request('initialize', INITIALIZE);
  const refused = await client.requestRaw(command, configuration);
  expect(refused).toMatchObject({ success: false, message: expect.stringContaining(message) as string });
  expect(refused.body).toEqual({ error: { id: 1, format: refused.message, showUser: true } });
  await client.request('launch', { recording: 'cart' });
  await client.nextEvent('initialized');
  expect(embedder.calls.map(([name]) => name)).toEqual(['open']);
});

test.each([
  [undefined, 2],
  [1, 1],
  [2, 2],
  [0, 1],
])('with `threads` of %s, %i threads are listed', async (threads, count) => {
  const client = await begin(loggingEmbedder(), 'launch', { recording: 'cart', stopAt: 'end', threads });
  await client.request('configurationDone');
  await client.nextStop();
  expect((await client.request('threads'))['threads']).toHaveLength(count);
  const notes = client.log.received.filter(({ body }) => body?.['category'] === 'console');
  await client.request('threads');
  expect(notes).toHaveLength(count === 2 ? 0 : 1);
  expect(client.log.received.filter(({ body }) => body?.['category'] === 'console')).toEqual(notes);
});

test('a session requires initialize, then a recording, and takes each only once', async () => {
  const client = connectEditor(loggingEmbedder());
  const messageOf = async (command: string, args?: object): Promise<string | undefined> => {
    const { success, message } = await client.requestRaw(command, args);
    return success === true ? 'ok' : message;
  };
  expect(await messageOf('launch', { recording: 'cart' })).toBe('send initialize first');
  expect(await messageOf('threads')).toBe('send initialize first');
  expect(await messageOf('initialize', INITIALIZE)).toBe('ok');
  expect(await messageOf('initialize', INITIALIZE)).toBe('initialize was already sent; send it only once');
  expect(await messageOf('threads')).toBe('threads needs a recording; send launch or attach first');
  for (const command of ['configurationDone', 'pause', 'restart'])
    expect(await messageOf(command)).toBe('send launch or attach first');
  expect(await messageOf('launch', { recording: 'cart' })).toBe('ok');
  for (const command of ['launch', 'attach'])
    expect(await messageOf(command, { recording: 'cart' })).toMatch(/^this session already has a recording;/);
  expect(await messageOf('fly')).toBe('the request "fly" is not supported');
});

test('while a recording is opened, another one is refused', async () => {
  const embedder = loggingEmbedder();
  const { promise, resolve } = Promise.withResolvers<void>();
  const client = connectEditor({
    ...embedder,
    open: (options, signal) => promise.then(() => embedder.open(options, signal)),
  });
  await client.request('initialize', INITIALIZE);
  const first = client.requestRaw('launch', { recording: 'cart' });
  expect(await client.requestRaw('attach', { recording: 'other' })).toMatchObject({ success: false });
  resolve();
  expect(await first).toMatchObject({ success: true });
  expect(embedder.calls).toEqual([['open', { ...DEFAULTS, path: 'cart' }]]);
});

test('what a program prints is reported by stream, before the session is ready', async () => {
  const client = await begin(loggingEmbedder(), 'launch', { program: 'app.ts' });
  const outputs = client.log.received.filter(({ event }) => event === 'output').map(({ body }) => body);
  expect(outputs).toEqual([
    { category: 'stdout', output: 'hello\n' },
    { category: 'stderr', output: 'oops\n' },
  ]);
});

test.each(['terminate', 'disconnect'])('%s closes the recording once, and ends the session', async (command) => {
  const embedder = loggingEmbedder();
  const client = await begin(embedder, 'launch', { recording: 'cart' });
  await client.request('configurationDone');
  await client.nextStop();
  await client.request(command);
  expect(embedder.calls.filter(([name]) => name === 'close')).toEqual([['close', 1]]);
  if (command === 'terminate') {
    expect(await client.nextEvent('terminated')).toEqual({});
    expect(await client.requestRaw('threads')).toMatchObject({ success: false });
    expect(await client.requestRaw('launch', { recording: 'cart' })).toMatchObject({ success: false });
    await client.request('disconnect');
  }
  await client.closed;
  expect(client.log.received.filter(({ event }) => event === 'terminated')).toHaveLength(
    command === 'terminate' ? 1 : 0,
  );
  expect(embedder.calls.filter(([name]) => name === 'close')).toEqual([['close', 1]]);
});

test('breakpoints of a client are removed from a shared server when it disconnects', async () => {
  const server = scriptedServer();
  const embedder: DebugEmbedder = {
    ...loggingEmbedder(),
    open: () => {
      const client = new Client(server.openWire());
      return Promise.resolve({ client, close: () => Promise.resolve(client.close()) });
    },
  };
  const observer = new Client(server.openWire());
  await observer.hello('test');
  const client = await begin(embedder, 'launch', { recording: 'cart' });
  await client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'sum' }, { name: 'output' }] });
  await client.request('setExceptionBreakpoints', { filters: ['all'] });
  expect((await observer.request('breakpoints', {})).breakpoints).toHaveLength(3);
  await client.request('disconnect');
  expect((await observer.request('breakpoints', {})).breakpoints).toEqual([]);
});

test('a pause of a running program opens its recording again, and stops at its new end', async () => {
  const embedder = loggingEmbedder(1);
  const client = await begin(embedder, 'attach', { pid: 7 });
  await client.request('setFunctionBreakpoints', { breakpoints: [{ name: 'sum' }] });
  await client.request('configurationDone');
  await client.nextStop();
  expect(await client.request('turntable/cursor')).toMatchObject({ position: '0.2' });
  client.log.discardReceived();
  await client.request('pause', { threadId: 1 });
  await client.nextEvent('initialized');
  // The earlier recording is closed before the new one is announced.
  expect(embedder.calls.at(-1)).toEqual(['close', 1]);
  expect(await client.nextEvent('stopped')).toMatchObject({ reason: 'pause' });
  expect(await client.request('turntable/cursor')).toMatchObject({ position: '0.3' });
  expect(embedder.calls.map(([name, detail]) => [name, name === 'open' ? '' : detail])).toEqual([
    ['path of', 7],
    ['open', ''],
    ['open', ''],
    ['close', 1],
  ]);
  expect(embedder.calls[2]?.[1]).toEqual({ ...DEFAULTS, path: 'recordings/7', isLive: true });
  await client.request('disconnect');
  await client.closed;
  expect(embedder.calls.filter(([name]) => name === 'close')).toEqual([
    ['close', 1],
    ['close', 2],
  ]);
});

test('a pause that cannot open the recording again is reported, and the position remains', async () => {
  const embedder = loggingEmbedder();
  let isGone = false;
  const { open } = embedder;
  const client = await begin(
    {
      ...embedder,
      open: (options, signal) => (isGone ? Promise.reject(new Error('it is gone')) : open(options, signal)),
    },
    'attach',
    { recording: 'cart', stopAt: 'start' },
  );
  await client.request('configurationDone');
  await client.nextStop();
  isGone = true;
  client.log.discardReceived();
  await client.request('pause', { threadId: 1 });
  expect(await client.nextEvent('output')).toEqual({ category: 'console', output: 'it is gone\n' });
  expect(await client.nextEvent('stopped')).toMatchObject({ reason: 'pause' });
  expect(await client.runToStop('next', { threadId: 1 })).toMatchObject({ reason: 'step' });
  expect(embedder.calls.map(([name]) => name)).toEqual(['open']);
});

test('a time machine that ends is reported, and ends the session', async () => {
  const server = scriptedServer();
  let loseConnection: (reason: string) => void = () => {};
  const embedder: DebugEmbedder = {
    ...loggingEmbedder(),
    open: () => {
      const wire = server.openWire();
      const lossyWire: Wire = {
        send: (text) => wire.send(text),
        onText: (listener) => wire.onText(listener),
        onClose: (listener) => void (loseConnection = listener),
        close: () => wire.close(),
      };
      return Promise.resolve({ client: new Client(lossyWire), close: () => server.close() });
    },
  };
  const client = await begin(embedder, 'launch', { recording: 'cart' });
  await client.request('configurationDone');
  await client.nextStop();
  loseConnection('the connection was lost');
  expect(await client.nextEvent('output')).toEqual({
    category: 'console',
    output: 'the time machine has ended: the connection was lost\n',
  });
  expect(await client.nextEvent('terminated')).toEqual({});
  expect(await client.requestRaw('threads')).toMatchObject({ success: false });
  await client.request('disconnect');
  await client.closed;
});

/** A session whose server answers nothing between `hold` and `release`. */
async function heldSession(): Promise<{ client: DapClient; hold: () => void; release: () => void }> {
  const server = scriptedServer();
  let isHeld = false;
  let held: string[] = [];
  const wire = server.openWire();
  const heldWire: Wire = {
    send: (text) => {
      if (isHeld) held.push(text);
      else wire.send(text);
    },
    onText: (listener) => wire.onText(listener),
    onClose: (listener) => wire.onClose(listener),
    close: () => wire.close(),
  };
  const embedder: DebugEmbedder = {
    ...loggingEmbedder(),
    open: () => Promise.resolve({ client: new Client(heldWire), close: () => server.close() }),
  };
  const client = await begin(embedder, 'launch', { recording: 'cart' });
  await client.request('configurationDone');
  await client.nextStop();
  return {
    client,
    hold: () => void (isHeld = true),
    release: () => {
      isHeld = false;
      for (const text of held) wire.send(text);
      held = [];
    },
  };
}

test('at most 64 requests are open; a request more is refused until one is answered', async () => {
  const { client, hold, release } = await heldSession();
  hold();
  const open = Array.from({ length: 64 }, () => client.requestRaw('source', { sourceReference: 1 }));
  expect(await client.requestRaw('threads')).toMatchObject({
    success: false,
    message: '64 requests are open, the maximum; wait for a response',
  });
  release();
  expect((await Promise.all(open)).filter(({ success }) => success === true)).toHaveLength(64);
  expect(await client.requestRaw('threads')).toMatchObject({ success: true });
});

test('a number of an open request cannot be used again, but that of an answered one can', async () => {
  const { client, hold, release } = await heldSession();
  hold();
  const seq = client.send('source', { sourceReference: 1 });
  const answers = (): DapMessage[] => client.log.received.filter(({ request_seq }) => request_seq === seq);
  const again = async (count: number): Promise<void> => {
    const text = JSON.stringify({ seq, type: 'request', command: 'threads' });
    client.write(`Content-Length: ${text.length}\r\n\r\n${text}`);
    while (answers().length < count) await new Promise(setImmediate);
  };
  await again(1);
  release();
  while (answers().length < 2) await new Promise(setImmediate);
  await again(3);
  expect(answers().map(({ command, success, message }) => [command, success, message])).toEqual([
    ['threads', false, `request ${seq} is still open; use another seq`],
    ['source', true, undefined],
    ['threads', true, undefined],
  ]);
});

test('a cancelled request is answered as cancelled, and the user is not told', async () => {
  const { client, hold, release } = await heldSession();
  hold();
  const requestId = client.send('evaluate', { expression: 'total' });
  await client.request('cancel', { requestId });
  await client.request('cancel', { requestId: 9999 });
  await client.request('cancel', { progressId: 'none' });
  release();
  const answer = await client.log.whenReceived(({ request_seq }) => request_seq === requestId);
  expect(answer).toMatchObject({
    success: false,
    message: 'cancelled',
    body: { error: { format: 'cancelled', showUser: false } },
  });
});

test('pause during a move cancels the move, and the position is unchanged', async () => {
  const { client, hold, release } = await heldSession();
  hold();
  await client.request('continue', { threadId: 1 });
  await client.request('pause', { threadId: 1 });
  release();
  expect(await client.nextEvent('stopped')).toMatchObject({
    reason: 'pause',
    description: 'cancelled; the position is unchanged',
  });
  expect(await client.request('turntable/cursor')).toMatchObject({ position: '0.1' });
});
