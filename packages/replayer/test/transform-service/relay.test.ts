// The transform service of the replays of a recording: a process that starts with the first request, may crash on a
// hostile text, and ends with the last replay.
import { duplexPair, type Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { PACKAGE_FORM_FLAGS } from '../../src/program-file.ts';
import { LineSplitter } from '../../src/transform-service/line-splitter.ts';
import { parseLine, requestLine } from '../../src/transform-service/protocol.ts';
import { TransformRelay } from '../../src/transform-service/relay.ts';
import type { Launch } from '../../src/sandbox/sandbox.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Answers with the request and its own process id. Ends at the request `end`, and never answers `wait`. */
const ECHO = `
let text = '';
process.stdin.setEncoding('utf8').on('data', (part) => {
  const lines = (text += part).split('\\n');
  text = lines.pop();
  for (const line of lines) {
    const [id, request] = line.split(' ');
    if (request === 'end') {
      console.error('cannot transform');
      process.exit(3);
    }
    if (request !== 'wait') console.log(id + ' ' + JSON.stringify({ request, pid: process.pid }));
  }
});`;

const echoLaunch = (): Launch => ({ file: process.execPath, args: ['-e', ECHO], cwd: '/', env: {} });

interface Replay {
  readonly connection: Duplex;
  send(id: string, request: string): void;
  /** The answers that have been received. */
  readonly answers: (readonly [id: string, answer: string])[];
  ask(id: string, request: string): Promise<Record<string, unknown>>;
}

function connect(relay: TransformRelay, launch: () => Launch = echoLaunch): Replay {
  const [connection, relayEnd] = duplexPair();
  relay.serve(relayEnd, launch);
  onTestFinished(() => void connection.destroy());
  const splitter = new LineSplitter();
  const answers: (readonly [id: string, answer: string])[] = [];
  connection.on('data', (chunk: Buffer) => answers.push(...splitter.split(chunk).map((line) => parseLine(line))));
  const send = (id: string, request: string): void => void connection.write(requestLine(id, request));
  return {
    connection,
    answers,
    send,
    async ask(id, request) {
      send(id, request);
      const answer = await vi.waitUntil(() => answers.find(([answeredId]) => answeredId === id), { timeout: 50_000 });
      return JSON.parse(answer[1]) as Record<string, unknown>;
    },
  };
}

const isAlive = (pid: unknown): boolean => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

test('each replay gets the answers to its own requests, from one process', async () => {
  const relay = new TransformRelay();
  const replays = [connect(relay), connect(relay), connect(relay)];
  const all = await Promise.all(
    replays.flatMap((replay, r) => Array.from({ length: 20 }, (_, i) => replay.ask(`0.${i}`, `${r}-${i}`))),
  );
  expect(all.map(({ request }) => request)).toEqual(
    replays.flatMap((_, r) => Array.from({ length: 20 }, (__, i) => `${r}-${i}`)),
  );
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
});

test('a request during which the process ends fails with the reason, and the next one starts another process', async () => {
  const replay = connect(new TransformRelay());
  const { pid } = await replay.ask('1', 'first');
  expect(await replay.ask('2', 'end')).toEqual({
    failure: {
      name: 'Error',
      message: 'code could not be transformed, because the transform service ended: exit code 3\ncannot transform\n',
    },
  });
  const next = await replay.ask('3', 'next');
  expect(next).toEqual({ request: 'next', pid: expect.any(Number) as number });
  expect(next['pid']).not.toBe(pid);
});

test.each<readonly [reason: string, launch: () => Launch]>([
  ['spawn /does/not/exist ENOENT', () => ({ ...echoLaunch(), file: '/does/not/exist' })],
  [
    'no room for the root directory',
    () => {
      throw new Error('no room for the root directory');
    },
  ],
])('a process that cannot be started is a failure of the request: %s', async (reason, launch) => {
  const replay = connect(new TransformRelay(), launch);
  const failure = { message: expect.stringContaining(reason) as string };
  expect(await replay.ask('1', 'first')).toMatchObject({ failure });
  expect(await replay.ask('2', 'second')).toMatchObject({ failure });
});

test('a process that may have reached a limit of the sandbox is a failure that names the limits', async () => {
  const limits = { memory: 3e9, tasks: 100 };
  const replay = connect(new TransformRelay(), () => ({ ...echoLaunch(), args: ['-e', 'process.exit(134)'], limits }));
  expect(await replay.ask('1', 'first')).toMatchObject({
    failure: {
      message: expect.stringContaining(
        'exit code 134; perhaps it reached a limit of the sandbox, 3.0 GB of memory or 100 processes and threads; --trusted replays without limits',
      ) as string,
    },
  });
});

test('the process ends with the last replay', async () => {
  const relay = new TransformRelay();
  const [first, second] = [connect(relay), connect(relay)];
  const { pid } = await first.ask('1', 'first');
  first.connection.end();
  expect(await second.ask('1', 'second')).toEqual({ request: 'second', pid });
  second.connection.end();
  await vi.waitUntil(() => !isAlive(pid), { timeout: 50_000 });
  expect(await connect(relay).ask('1', 'third')).toMatchObject({ request: 'third' });
});

test('requests of a replay that has ended do not delay the others', async () => {
  const relay = new TransformRelay();
  const [ended, other] = [connect(relay), connect(relay)];
  const { pid } = await ended.ask('1', 'first');
  for (let i = 0; i < 10; i++) ended.send(`2.${i}`, 'dropped');
  ended.connection.end();
  expect(await other.ask('1', 'other')).toEqual({ request: 'other', pid });
});

test('a text that crashes the parser fails only its own request', async () => {
  const file = fileURLToPath(new URL('../../src/transform-process.ts', import.meta.url));
  const args = [...PACKAGE_FORM_FLAGS, file];
  const replay = connect(new TransformRelay(), () => ({ file: process.execPath, args, cwd: '/', env: {} }));
  const lower = (source: string): string => JSON.stringify({ call: 'lower', args: [source, '/p/a.ts', '{}'] });
  expect(await replay.ask('1', lower('('.repeat(200_000)))).toHaveProperty('failure');
  expect(await replay.ask('2', lower('const a: number = 1;'))).toEqual({ result: 'const a = 1;\n' });
});
