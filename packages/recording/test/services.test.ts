// Recorded processes are listed and take commands through their sockets.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRecording, startWriter, TraceWriter, type LiveRecording, type Writer } from '@turntable/recording';
import { callService, listServices, type ServiceState } from '@turntable/recording/services';
import { MAX_RESPONSE_CHARS } from '../src/control/control-protocol.ts';
import { removeDeadSocket } from '../src/control/service-client.ts';
import { listSockets, socketName } from '../src/control/service-directories.ts';
import { messages, PATIENTLY } from './live-traces.ts';
import { manifestOf, openSnapshot, temporaryDirectory } from './recording.ts';
import { listen, withDeadSocket } from './sockets.ts';
import { takeAll } from './traces.ts';

interface Served {
  readonly writer: Writer;
  readonly recording: LiveRecording;
  readonly path: string;
  readonly directory: string;
}

async function serve({
  isLater = false,
  description = {},
}: { isLater?: boolean; description?: Parameters<typeof manifestOf>[0] } = {}): Promise<Served> {
  const directory = join(temporaryDirectory(), 'services');
  const writer = startWriter({ recordings: join(temporaryDirectory(), 'recordings'), services: [directory] });
  onTestFinished(async () => void (await writer.close()));
  const recording = writer.create(manifestOf(description), { isLater });
  await vi.waitFor(() => expect(listSockets(directory)).toHaveLength(1), PATIENTLY);
  return { writer, recording, directory, path: listSockets(directory)[0]!.path };
}

/** Commands that write a snapshot of the next phase. */
function acceptCommands({ writer, recording }: Served): void {
  let phase = 0;
  const snapshot = async () => {
    phase++;
    const open = openSnapshot(recording, phase);
    open.add(0, 'state', Buffer.from('a state'));
    const written = await open.commit();
    return written === undefined ? undefined : { phase, recording: recording.directory, bytes: written.bytes };
  };
  writer.acceptCommands({
    snapshot,
    start: () => {
      recording.start(phase + 1);
      return snapshot();
    },
    stop: async () => {
      const written = await snapshot();
      recording.pause('stopped by a test');
      return written;
    },
  });
}

const refusal = (served: Served, command: 'start' | 'stop' | 'snapshot'): Promise<string> =>
  callService(served.path, command).then(
    () => 'accepted',
    ({ message }: Error) => message,
  );

describe('a recorded process', () => {
  test('has a status with program, recording and size', PATIENTLY, async () => {
    const served = await serve({ description: { entry: 'file:///shop/main.ts' } });
    const before = Date.now();
    const status = await callService(served.path, 'status');
    expect(status).toEqual({
      pid: process.pid,
      program: '/shop/main.ts',
      argv: process.argv,
      cwd: process.cwd(),
      versions: { turntable: '0.1.0', node: process.versions.node },
      startedAt: Date.parse(openRecording(served.recording.directory).manifest.created),
      recording: served.recording.directory,
      state: 'recording',
      since: expect.any(Number),
      isTraced: false,
      bytes: statSync(join(served.recording.directory, 'manifest.json')).size,
      snapshots: 0,
      error: null,
      commands: [],
    } satisfies ServiceState);
    expect(status.since).toBeLessThanOrEqual(before);
    const trace = new TraceWriter(served.recording.trace(0, 0));
    trace.commit();
    expect((await callService(served.path, 'flush')).isTraced).toBe(true);
  });

  test.each([
    ['the name of an entry that is no file', { entry: 'data:text/javascript,1' }, 'data:text/javascript,1'],
    ['the first argument if there is no entry', { entry: null }, process.argv[1]],
  ])('has as its program %s', PATIENTLY, async (_, description, program) => {
    expect((await callService((await serve({ description })).path, 'status')).program).toBe(program);
  });

  test('writes everything before it answers a flush', PATIENTLY, async () => {
    const served = await serve();
    const trace = new TraceWriter(served.recording.trace(1, 1));
    let commits = 0;
    served.writer.beforeFlush(() => {
      commits++;
      trace.commit();
    });
    for (let round = 1; round <= 3; round++) {
      trace.writeMessages(round, round, 0, 1);
      // A thread that is busy for long is not waited for.
      await vi.waitFor(async () => {
        const { bytes } = await callService(served.path, 'flush');
        const { directory } = served.recording;
        expect(bytes).toBe(
          openRecording(directory).traces()[0]!.bytes + statSync(join(directory, 'manifest.json')).size,
        );
        const reader = openRecording(directory).trace(1, 1);
        const events = takeAll(reader);
        reader.close();
        expect(events).toEqual(messages(1, round));
      }, PATIENTLY);
    }
    expect(commits).toBeGreaterThan(0);
  });

  test('answers flushes that come together', PATIENTLY, async () => {
    const served = await serve();
    const states = await Promise.all(Array.from({ length: 12 }, () => callService(served.path, 'flush')));
    expect(states.map(({ state }) => state)).toEqual(Array.from({ length: 12 }, () => 'recording'));
  });

  test('takes snapshots on demand and counts them', PATIENTLY, async () => {
    const served = await serve();
    expect(await refusal(served, 'snapshot')).toContain('takes no snapshots');
    acceptCommands(served);
    const snapshots = [await callService(served.path, 'snapshot'), await callService(served.path, 'snapshot')];
    expect(snapshots).toEqual(
      [1, 2].map((phase) => ({
        phase,
        recording: served.recording.directory,
        bytes: statSync(join(served.recording.directory, `snapshots/000000000${phase}.tts`)).size,
      })),
    );
    expect(await callService(served.path, 'status')).toMatchObject({ snapshots: 2, commands: ['snapshot'] });
    for (const command of ['start', 'stop'] as const)
      expect(await refusal(served, command)).toContain('recorded from start to end');
  });

  test('starts and stops if it is recorded later', PATIENTLY, async () => {
    const served = await serve({ isLater: true });
    const statusOf = async () => {
      const { state, commands, since } = await callService(served.path, 'status');
      return { state, commands, isContinuous: since !== null };
    };
    expect(await statusOf()).toEqual({ state: 'waiting', commands: [], isContinuous: false });
    acceptCommands(served);
    expect(await statusOf()).toEqual({ state: 'waiting', commands: ['start'], isContinuous: false });
    for (const command of ['stop', 'snapshot'] as const)
      expect(await refusal(served, command)).toBe('the program is not being recorded now');
    expect((await callService(served.path, 'start')).phase).toBe(1);
    expect(await statusOf()).toEqual({ state: 'recording', commands: ['stop', 'snapshot'], isContinuous: true });
    expect(await refusal(served, 'start')).toBe('the program is already being recorded');
    expect((await callService(served.path, 'stop')).phase).toBe(2);
    await vi.waitFor(async () => expect((await statusOf()).state).toBe('stopped'), PATIENTLY);
    expect(await statusOf()).toEqual({ state: 'stopped', commands: ['start'], isContinuous: false });
    expect((await callService(served.path, 'start')).phase).toBe(3);
  });

  test('passes on why a command is refused or failed', PATIENTLY, async () => {
    const served = await serve();
    const handlers = { start: async () => undefined, stop: async () => undefined };
    for (const [snapshot, message] of [
      [() => Promise.reject(new Error('a reason')), 'a reason'],
      [() => Promise.reject('a text' as never), 'a text'],
      [() => Promise.resolve(undefined), 'it could not be written to disk'],
    ] as const) {
      served.writer.acceptCommands({ ...handlers, snapshot });
      expect(await refusal(served, 'snapshot')).toBe(message);
    }
  });

  test('refuses pending commands when it ends, and removes its socket', PATIENTLY, async () => {
    const served = await serve();
    const isCalled = Promise.withResolvers<void>();
    const never = (): Promise<undefined> => (isCalled.resolve(), new Promise(() => {}));
    served.writer.acceptCommands({ snapshot: never, start: never, stop: never });
    const waiting = refusal(served, 'snapshot');
    await isCalled.promise;
    await served.writer.close();
    expect(await waiting).not.toBe('accepted');
    expect(readdirSync(served.directory)).toEqual([]);
    expect(await listServices([served.directory])).toEqual([]);
  });

  test('is listed in the order of the starts, once, with those of other directories', PATIENTLY, async () => {
    const all: Served[] = [];
    for (let i = 0; i < 3; i++) all.push(await serve());
    const directories = all.map(({ directory }) => directory);
    const services = await vi.waitFor(async () => {
      const found = await listServices([...directories.toReversed(), ...directories, '/does/not/exist']);
      expect(found).toHaveLength(3);
      return found;
    }, PATIENTLY);
    const starts = services.map(({ state }) => state.startedAt);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(services.map(({ state }) => state.recording).toSorted()).toEqual(
      all.map(({ recording }) => recording.directory).toSorted(),
    );
  });
});

describe('a client', () => {
  const answerOf = (answer: (socket: Socket) => void, signal?: AbortSignal): Promise<unknown> => {
    const path = join(temporaryDirectory(), 'x.sock');
    return listen(path, (socket) => {
      socket.on('error', () => {});
      answer(socket);
    })
      .then(() => callService(path, 'status', signal))
      .then(
        (value) => ({ value }),
        ({ code, message }: Error & { code: string }) => `${code} ${message}`,
      );
  };

  test('gets the result or the error of a response, also in parts', async () => {
    const respond = (text: string) => (socket: Socket) => void socket.once('data', () => socket.write(text));
    expect(await answerOf(respond('{"result":{"a":1}}\nand more'))).toEqual({ value: { a: 1 } });
    expect(
      await answerOf((socket) => {
        socket.write('{"result":');
        setImmediate(() => socket.write('{"a":2}}'));
        setImmediate(() => setImmediate(() => socket.write('\n')));
      }),
    ).toEqual({ value: { a: 2 } });
    expect(await answerOf(respond('{"error":{"message":"a reason"}}\n'))).toBe('TT_SERVICE a reason');
    for (const text of ['{"error":{}}\n', '{}\n', 'null\n', '{\n', '\n'])
      expect(await answerOf(respond(text)), text).toContain('the response of the program is invalid');
  });

  test('sends one request of JSON-RPC', async () => {
    const received = Promise.withResolvers<string>();
    const answer = answerOf((socket) =>
      socket.setEncoding('utf8').once('data', (text: string) => {
        received.resolve(text);
        socket.end();
      }),
    );
    expect(await received.promise).toBe('{"jsonrpc":"2.0","id":1,"method":"status"}\n');
    expect(await answer).toBe('TT_SERVICE the program has ended before it answered');
  });

  test('reads a long response, but not without end', async () => {
    const long = (length: number) => (socket: Socket) => {
      const start = '{"result":{"a":"';
      socket.write(`${start}${'x'.repeat(length - start.length - 3)}"}}\n`);
    };
    expect(await answerOf(long(MAX_RESPONSE_CHARS))).toHaveProperty('value');
    expect(await answerOf((socket) => void socket.write('x'.repeat(MAX_RESPONSE_CHARS + 1)))).toContain('too long');
  });

  test('does not wait longer than it must', async () => {
    expect(await answerOf(() => {}, AbortSignal.timeout(1))).toContain('not answered in time');
    expect(
      await callService(join(temporaryDirectory(), 'none.sock'), 'status').catch(({ message }: Error) => message),
    ).toContain('the program does not answer: connect ENOENT');
  });

  test('removes the socket of a killed process, and no other one', async () => {
    const { directory, path } = await withDeadSocket(process.pid);
    expect(readdirSync(directory)).toHaveLength(1);
    expect(await listServices([directory])).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
    await removeDeadSocket(path);
    const alive = join(directory, socketName(1, '0123abcd'));
    await listen(alive, (socket) => void socket.on('error', () => {}).end('no response\n'));
    expect(await listServices([directory])).toEqual([]);
    expect(readdirSync(directory)).toHaveLength(1);
    writeFileSync(join(directory, 'no-socket'), '');
    await removeDeadSocket(join(directory, 'no-socket'));
    expect(readdirSync(directory)).not.toContain('no-socket');
  });
});
