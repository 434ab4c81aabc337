// Ways out of a replay: programs that reach Node's functions by all forms we know act while they are recorded, and
// perform nothing when they are replayed, even outside of the sandbox.
import { spawn, spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const FORMS = fileURLToPath(new URL('escapes/forms.mjs', import.meta.url));
/** Forms whose inputs cannot be recorded, with the reason that a replay is refused. */
const REFUSED: Readonly<Record<string, string>> = {
  'constructors of an object in a vm context': 'a context of node:vm, which has a clock of its own',
  'the class of standard output': 'connect of the standard output',
  'the pipe of standard output': 'bind of the standard output',
  'import() in vm': 'USE_MAIN_CONTEXT_DEFAULT_LOADER of node:vm',
};
const hasStrace = process.platform === 'linux' && spawnSync('strace', ['-V']).status === 0;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: unknown;
}

const scratch = mkdtempSync(join(tmpdir(), 'turntable-escapes-'));
const directory = join(scratch, 'directory');
const cache = join(scratch, 'cache');
let server: Server;
let datagrams: dgram.Socket;
/** Connections and datagrams that the server has received. */
let received = 0;
let fedForms: string[];

beforeAll(async () => {
  server = createServer((_, response) => void response.end('ok')).listen(0, '127.0.0.1');
  server.on('connection', () => received++);
  await once(server, 'listening');
  datagrams = dgram.createSocket('udp4').on('message', () => received++);
  datagrams.bind((server.address() as AddressInfo).port, '127.0.0.1');
  const { stdout } = await run(process.execPath, [FORMS]);
  fedForms = (JSON.parse(stdout) as string[]).filter((form) => !Object.hasOwn(REFUSED, form));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  datagrams.close();
  rmSync(scratch, { recursive: true, force: true });
});

async function run(file: string, args: readonly string[]): Promise<Ended> {
  const child = spawn(file, args, {
    cwd: scratch,
    env: { ...process.env, NO_COLOR: '1', TURNTABLE_CACHE: cache, NODE_COMPILE_CACHE: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const [stdout, stderr] = await Promise.all(
    [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join('')),
  );
  const [status] = (await closed) as unknown[];
  return { stdout: stdout as string, stderr: stderr as string, status };
}

/** Records the forms; returns the output, warnings and the directory of the recording. */
async function record(forms: readonly string[]): Promise<{ output: string; warnings: string; recording: string }> {
  const recordings = mkdtempSync(join(scratch, 'recordings-'));
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  received = 0;
  const args = [FORMS, directory, String((server.address() as AddressInfo).port), String(process.pid), ...forms];
  const { stdout, stderr, status } = await run(process.execPath, [
    ...FLAGS,
    CLI,
    'record',
    '--recordings',
    recordings,
    ...args,
  ]);
  if (status !== 0) throw new Error(`the program exited with ${String(status)}:\n${stderr}`);
  return { output: stdout, warnings: stderr, recording: recordings };
}

/** Deletes all traces of the recorded run. */
function reset(): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  received = 0;
}

const replayArguments = (recording: string, ...flags: string[]): string[] => [
  ...FLAGS,
  CLI,
  'replay',
  ...flags,
  recording,
];

describe('a recording of all forms', () => {
  let recording: string;
  let output: string;

  beforeAll(async () => {
    ({ recording, output } = await record(fedForms));
    expect(
      output
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(0, line.lastIndexOf(': '))),
    ).toEqual(fedForms);
    expect(readdirSync(directory).length).toBeGreaterThan(30);
    expect(received).toBeGreaterThan(5);
  });

  test.each([[['--trusted']], [[]]])('is replayed without performing any of them: %j', async (flags) => {
    reset();
    const { stdout, stderr, status } = await run(process.execPath, replayArguments(recording, ...flags));
    expect(stdout).toContain(output);
    expect(stderr).toMatch(/^same: /m);
    expect({ status, files: readdirSync(directory), received }).toEqual({ status: 0, files: [], received: 0 });
  });

  test.runIf(hasStrace)('makes no calls of the system that write, connect or start programs', async () => {
    reset();
    const log = join(scratch, 'calls');
    const calls = 'open,openat,creat,connect,bind,execve,rename,renameat2,mkdir,symlink,link,unlink';
    const { stderr } = await run('strace', [
      '-f',
      '-qq',
      '-z',
      '--seccomp-bpf',
      `--trace=${calls}`,
      '--signal=none',
      `--output=${log}`,
      process.execPath,
      ...replayArguments(recording, '--trusted'),
    ]);
    expect(stderr).toMatch(/^same: /m);
    const acting = readFileSync(log, 'utf8')
      .split('\n')
      .map((line) => line.replace(/^\d+ +/, ''))
      .filter((line) => line !== '' && !(line.startsWith('open') && !/O_WRONLY|O_RDWR|O_CREAT/.test(line)));
    const started = acting.filter((line) => line.startsWith('execve('));
    // The command, and the process of the replay.
    expect(started.map((line) => line.startsWith(`execve("${process.execPath}", `))).toEqual([true, true]);
    expect(acting.filter((line) => !started.includes(line) && !line.includes(`"${cache}/`))).toEqual([]);
  });
});

test.each(Object.entries(REFUSED))(
  'a recording of a form that cannot be recorded is refused: %s',
  async (form, reason) => {
    const { recording, warnings } = await record([form]);
    onTestFinished(() => rmSync(recording, { recursive: true, force: true }));
    const { stderr, status } = await run(process.execPath, replayArguments(recording));
    const [, use] = /\[TT_NOT_RECORDED\] Warning: the program uses (.*): a replay needs --force/.exec(warnings) ?? [];
    expect(use?.replace(/:\d+:\d+$/, '')).toBe(`${reason}, at ${FORMS}`);
    expect(stderr).toContain(`its program used ${String(use)}, whose inputs are not recorded yet`);
    expect(status).not.toBe(0);
  },
);
