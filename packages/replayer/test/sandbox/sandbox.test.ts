// The sandbox of replaying processes: code that has all of Node's functions reaches nothing of the machine.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { searchBubblewrap } from '../../src/sandbox/bubblewrap.ts';
import type { Namespaces } from '../../src/sandbox/namespaces.ts';
import { supportsPermissions } from '../../src/sandbox/permissions.ts';
import { processKiller } from '../../src/sandbox/process-killer.ts';
import {
  hasNamespaceLimit,
  machineLimits,
  reachedLimitText,
  type ProcessLimits,
} from '../../src/sandbox/process-limits.ts';
import { confine, isolation } from '../../src/sandbox/sandbox.ts';
import { searchUnshare } from '../../src/sandbox/unshare.ts';
import { MANIFEST } from '../../../recording/test/packed.ts';

const ATTACKS = fileURLToPath(new URL('attacks.mjs', import.meta.url));
const IN_MOUNTS = fileURLToPath(new URL('in-mounts.mjs', import.meta.url));
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
async function attack(namespaces: Namespaces | null): Promise<Outcome> {
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
    namespaces,
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
    stderr: (stderr as string).replace(/^.*(?:DEP0205|trace-deprecation|open Node\.js report file).*\n/gm, '').trim(),
  };
}

/** What can isolate a process on this machine. */
const ISOLATING = [searchBubblewrap(), searchUnshare()].flatMap((search) =>
  'namespaces' in search ? [search.namespaces] : [],
);

test.runIf(process.env['TURNTABLE_TEST_ISOLATED'] === '1')('replays are isolated on this machine', () => {
  expect(isolation()).toMatchObject({ level: 'isolated' });
  expect(ISOLATING.map(({ program }) => program)).toEqual(['bubblewrap', 'unshare']);
});

/** Starts a process in the sandbox that prints what `text` evaluates to, and then waits. */
function startIsolated(
  namespaces: Namespaces | null,
  text: string,
  limits: ProcessLimits = machineLimits(),
): { child: ChildProcess; kill: () => void } {
  const access = { recording: root, manifest: MANIFEST, readsProgram: false, readable: [], writable: [] };
  const flags = ['-e', `void (async () => console.log(JSON.stringify(await ${text})))(); setInterval(() => {}, 1000)`];
  const { file, args, env } = confine({ flags, args: [], cwd: '/', env: {} }, access, namespaces, limits);
  const child = spawn(file, args, {
    env: env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'ignore', namespaces === null ? 'ignore' : 'pipe'],
  });
  const kill = processKiller(child);
  onTestFinished(kill);
  return { child, kill };
}

/** Evaluates an expression with all of Node's functions. */
async function evaluateIsolated(namespaces: Namespaces | null, text: string, limits?: ProcessLimits): Promise<unknown> {
  const { child, kill } = startIsolated(namespaces, text, limits);
  const printed = once(child.stdout as Readable, 'data') as Promise<[Buffer]>;
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [result] = await Promise.race([printed, closed]);
  kill();
  await closed;
  if (!(result instanceof Buffer)) throw new Error(`the process ended with exit code ${result}`);
  return JSON.parse(String(result));
}

describe.each(ISOLATING)('a process isolated by $program', (namespaces) => {
  test('reaches no file, process or server, and no variable, whatever it tries', async () => {
    const changesDevices = namespaces.program === 'bubblewrap' && process.getuid?.() === 0;
    expect(await attack(namespaces)).toEqual({
      succeeded: changesDevices ? ['change the mode of a device'] : [],
      elsewhere: ['secret'],
      readable: ['addon.node', 'unchanged'],
      connections: 0,
      isVictimAlive: true,
      stderr: '',
    });
  });

  test('has no privileges and can get none', async () => {
    const status = String(await evaluateIsolated(namespaces, `fs.readFileSync('/proc/self/status', 'utf8')`));
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
      expect(status).toMatch(new RegExp(`^${set}:\\s+0+$`, 'm'));
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
  });

  test('has only read-only mounts, apart from those of devices', async () => {
    const mounts = String(await evaluateIsolated(namespaces, `fs.readFileSync('/proc/self/mountinfo', 'utf8')`));
    const writable = mounts.split('\n').flatMap((line) => {
      const [, , , , path = '', options = 'ro'] = line.split(' ');
      return options.split(',').includes('ro') || path.startsWith('/dev/') ? [] : [path];
    });
    expect(writable).toEqual([]);
  });

  test.runIf(ISOLATING.length === 2)('cannot write to what is mounted in a readable directory', () => {
    const directory = mkdtempSync(join(root, 'mounted-'));
    const mounting = `cd "$1"
mkdir sub 'no exec'
mount -t tmpfs tmpfs sub
mkdir sub/below
mount -t tmpfs tmpfs sub/below
mount -t tmpfs -o noexec,nosuid,noatime tmpfs 'no exec'
mkdir 'no exec/readable'
# In one more namespace, the options of these mounts cannot be lifted.
exec unshare --user --map-root-user --mount "$2" "$3" "$4" "$1"`;
    const args = [directory, process.execPath, IN_MOUNTS, namespaces.program];
    const { status, stdout, stderr } = spawnSync(
      'unshare',
      ['--user', '--map-root-user', '--mount', 'sh', '-euc', mounting, 'sh', ...args],
      { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
    );
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '[]\n', stderr: '' });
  });

  test('has namespaces of its own, in which it is not the first process', async () => {
    const kinds = ['user', 'pid', 'mnt', 'net', 'ipc', 'uts'];
    const read = `${JSON.stringify(kinds)}.map((kind) => fs.readlinkSync('/proc/self/ns/' + kind))`;
    const [links, pid] = (await evaluateIsolated(namespaces, `[${read}, process.pid]`)) as [string[], number];
    expect(links.filter((link, i) => link === readlinkSync(`/proc/self/ns/${kinds[i]}`))).toEqual([]);
    expect(pid).toBeGreaterThan(1);
  });

  test('cannot use more memory than the limit, on any thread', async () => {
    const limits = { ...machineLimits(), memory: 2e9 };
    const allocate = (size: number): string => `(() => {
      try {
        return new ArrayBuffer(${size}).byteLength;
      } catch ({ message }) {
        return message;
      }
    })()`;
    const inWorker = (text: string): string => `new Promise((resolve) => {
      const worker = new worker_threads.Worker(
        ${JSON.stringify(`require('node:worker_threads').parentPort.postMessage(${text})`)},
        { eval: true },
      );
      worker.on('message', resolve).on('error', ({ code }) => resolve(code));
    })`;
    const evaluateLimited = (text: string): Promise<unknown> => evaluateIsolated(namespaces, text, limits);
    for (const text of [allocate(2e8), inWorker(allocate(2e8))]) expect(await evaluateLimited(text)).toBe(2e8);
    for (const text of [allocate(2e9), inWorker(allocate(2e9))])
      expect(await evaluateLimited(text)).toMatch(/^(?:Array buffer allocation failed|ERR_WORKER_OUT_OF_MEMORY)$/);
  });

  test('ends with an error that names the limits when its heap has reached them', async () => {
    const limits = { ...machineLimits(), memory: 0.7e9 };
    const { child } = startIsolated(namespaces, '(() => { for (const all = []; ; ) all.push(Array(1e5)); })()', limits);
    const [exitCode] = (await once(child, 'close')) as [number];
    expect(reachedLimitText(exitCode, limits)).toBe(
      '; perhaps it reached a limit of the sandbox, 700.0 MB of memory or 4096 processes and threads; --trusted replays without limits',
    );
  });

  // The kernel limits processes of root only in process namespaces.
  const isRoot = process.getuid?.() === 0;
  test.skipIf(isRoot && !(namespaces.program === 'unshare' && hasNamespaceLimit()))(
    'cannot start more processes than the limit',
    async () => {
      const limits = { ...machineLimits(), tasks: 320 };
      const start = `(async () => {
        let count = 0;
        for (;;) {
          const child = child_process.spawn('/proc/self/exe', ['-e', '0'], { stdio: 'ignore' });
          const code = await new Promise((resolve) => child.on('error', ({ code }) => resolve(code)).on('spawn', resolve));
          if (code !== undefined || count === ${limits.tasks}) return [code, count];
          process.kill(child.pid, 'SIGSTOP');
          count++;
        }
      })()`;
      const [code, count] = (await evaluateIsolated(namespaces, start, limits)) as [string, number];
      expect(code).toBe('EAGAIN');
      expect(count).toBeLessThan(limits.tasks);
    },
  );

  test('is ended before other processes if memory is short', async () => {
    const score = await evaluateIsolated(namespaces, `fs.readFileSync('/proc/self/oom_score_adj', 'utf8')`);
    expect(Number(score)).toBeGreaterThan(Number(readFileSync('/proc/self/oom_score_adj')));
  });

  test('ends however early it is killed', async () => {
    for (let delay = 0; delay < 20; delay++) {
      const { child, kill } = startIsolated(namespaces, '0');
      await new Promise((resolve) => setTimeout(resolve, delay));
      kill();
      // Standard output is closed once no process has it.
      child.stdout?.resume();
      await once(child, 'close');
    }
  });
});

describe.runIf(supportsPermissions())('a process that is restricted by Node only', () => {
  test('can do no more than .github/SECURITY.md says', async () => {
    const { succeeded, elsewhere, readable } = await attack(null);
    const isNetworkOpen = !process.allowedNodeEnvironmentFlags.has('--allow-net');
    expect(succeeded).toEqual(isNetworkOpen ? ['connect to a server'] : []);
    expect(elsewhere).toEqual(['secret']);
    expect(readable).toEqual(['addon.node', 'unchanged']);
  });

  test('has no inspector, which would show all variables, and can start none', async () => {
    const attempts = `[
      () => inspector.open(0),
      () => new inspector.Session().post('Runtime.enable'),
      () => new (require('node:inspector/promises').Session)().post('Runtime.enable'),
      () => process._debugProcess(process.ppid),
      () => process.kill(process.ppid, 'SIGUSR1'),
    ].map((attempt) => {
      try {
        return attempt();
      } catch ({ message }) {
        return message;
      }
    })`;
    const refused = 'it is not available in the sandbox of a replay';
    expect(await evaluateIsolated(null, attempts)).toEqual([refused, refused, refused, refused, 'kill EPERM']);
  });
});
