// The sandbox of replaying processes: code that has all of Node's functions reaches nothing of the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { supportsPermissions } from '../../src/sandbox/permissions.ts';
import { processKiller } from '../../src/sandbox/process-killer.ts';
import { confine, isolation } from '../../src/sandbox/sandbox.ts';
import { MANIFEST } from '../../../recording/test/packed.ts';

const ATTACKS = fileURLToPath(new URL('attacks.mjs', import.meta.url));
/** The addon of a package that is installed here. */
const [ADDON = ''] = globSync(fileURLToPath(new URL('../../../../node_modules/@oxc-parser/*/*.node', import.meta.url)));
const root = mkdtempSync(join(tmpdir(), 'turntable-sandbox-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Attempt {
  readonly name: string;
  /** Undefined if the attempt has succeeded. */
  readonly failure?: string;
}

interface Outcome {
  /** Names of the attempts that succeeded. */
  readonly succeeded: readonly string[];
  readonly elsewhere: readonly string[];
  /** Contents of the files in the readable directory. */
  readonly readable: readonly string[];
  readonly connections: number;
  readonly isVictimAlive: boolean;
  readonly stderr: string;
}

/** Runs the attacks in the sandbox, with a file, a server and a process outside. */
async function attack(isIsolated: boolean): Promise<Outcome> {
  const directory = mkdtempSync(join(root, 'run-'));
  const place = (name: string): string => join(directory, name);
  for (const name of ['readable', 'writable', 'elsewhere']) mkdirSync(place(name));
  writeFileSync(place('readable/file'), 'unchanged');
  copyFileSync(ADDON, place('readable/addon.node'));
  writeFileSync(place('elsewhere/secret'), 'secret');
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const victim = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void victim.kill('SIGKILL'));
  process.env['TEST_SECRET'] = 'a secret variable';
  onTestFinished(() => void Reflect.deleteProperty(process.env, 'TEST_SECRET'));

  const launch = confine(
    {
      flags: [],
      args: [
        ATTACKS,
        place('readable'),
        place('writable'),
        place('elsewhere/secret'),
        String((server.address() as AddressInfo).port),
        String(victim.pid),
      ],
      cwd: '/',
      env: {},
    },
    {
      recording: place('readable'),
      manifest: MANIFEST,
      readsProgram: false,
      readable: [place('readable'), ATTACKS],
      writable: [place('writable')],
    },
    isIsolated,
  );
  const { file, args, cwd, env } = launch;
  const child = spawn(file, args, {
    cwd,
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all(
    [child.stdout, child.stderr].map(async (stream) => (await (stream as Readable).toArray()).join('')),
  );
  const attempts = (stdout as string)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Attempt);
  return {
    succeeded: attempts.filter(({ failure }) => failure === undefined).map(({ name }) => name),
    elsewhere: readdirSync(place('elsewhere')),
    readable: readdirSync(place('readable')).map((name) =>
      name === 'addon.node' ? name : readFileSync(place(`readable/${name}`), 'utf8'),
    ),
    connections,
    isVictimAlive: victim.exitCode === null && victim.signalCode === null,
    stderr: stderr as string,
  };
}

test.runIf(process.env['TURNTABLE_TEST_ISOLATED'] === '1')('replays are isolated on this machine', () => {
  expect(isolation()).toEqual({ level: 'isolated' });
});

describe.runIf(isolation().level === 'isolated')('an isolated process', () => {
  test('reaches no file, process or server, and no variable, whatever it tries', async () => {
    expect(await attack(true)).toEqual({
      succeeded: [],
      elsewhere: ['secret'],
      readable: ['addon.node', 'unchanged'],
      connections: 0,
      isVictimAlive: true,
      stderr: '',
    });
  });
});

test.runIf(isolation().level === 'isolated')('an isolated process ends however early it is killed', async () => {
  const access = { recording: root, manifest: MANIFEST, readsProgram: false, readable: [], writable: [] };
  const launch = confine({ flags: ['-e', 'setInterval(() => {}, 1000)'], args: [], cwd: '/', env: {} }, access);
  for (let delay = 0; delay < 20; delay++) {
    const child = spawn(launch.file, launch.args, {
      env: launch.env as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'ignore', 'pipe'],
    });
    const kill = processKiller(child);
    await new Promise((resolve) => setTimeout(resolve, delay));
    kill();
    // Standard output is closed once no process has it.
    await once(child, 'close');
  }
});

describe.runIf(supportsPermissions())('a process that is restricted by Node only', () => {
  test('can do no more than .github/SECURITY.md says', async () => {
    const { succeeded, readable } = await attack(false);
    const isNetworkOpen = !process.allowedNodeEnvironmentFlags.has('--allow-net');
    expect(succeeded).toEqual([
      'read a file elsewhere',
      'see the home directories',
      'end another process',
      ...(isNetworkOpen ? ['connect to a server'] : []),
      'write elsewhere in a worker with flags',
    ]);
    expect(readable).toEqual(['addon.node', 'unchanged']);
  });
});
