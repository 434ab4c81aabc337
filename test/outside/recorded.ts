// Programs that reach the outside, three times: as Node runs them, recorded, and again from the recording. What the outside was is gone by the third
// time: files are deleted, servers closed, nobody listens. So a run again that prints the same has performed nothing.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { differences, recordingIn, replay, type Replayed } from '../replay/again.ts';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested.ts';

export const FIXTURES: string = fileURLToPath(new URL('fixtures/', import.meta.url));
/** Milliseconds: what has not ended by then waits for something that will not come. */
const LIMIT = 60_000;

/** Node alone; the program and all its packages transformed, as where they are recorded; recorded; recorded from a signal on; going on from its last snapshot. */
export type Way = 'plain' | 'transformed' | 'recorded' | 'later' | 'restored';

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Subject {
  /** In fixtures/. */
  readonly file: string;
  readonly args?: readonly string[];
  /** An empty directory for what it writes, which is gone when it runs again; its working directory. */
  readonly place: string;
  /** Where its recording goes. */
  readonly into: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What comes by its standard input, which is not there otherwise, nor when it runs again. */
  readonly input?: string | undefined;
  /** What comes by its standard input is said to it while it runs. */
  readonly listens?: boolean | undefined;
  /** Milliseconds, if it may take longer than a program in a test. */
  readonly limit?: number;
}

/** One life of a program, in a process of its own. */
export class Life {
  readonly #child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Where it listens, once it has said so. */
  readonly port: Promise<number>;

  constructor(way: Way, { file, args = [], place, into, env = {}, input, listens = false, limit = LIMIT }: Subject) {
    mkdirSync(place, { recursive: true });
    const flags = [...FLAGS, ...ARGUMENTS[way](into)];
    const program = way === 'restored' ? [] : [join(FIXTURES, file), ...args];
    this.#child = spawn(process.execPath, [...flags, ...program], {
      cwd: place,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        NO_COLOR: '1',
        ...(way === 'later' ? { TURNTABLE_RECORDINGS: into } : {}),
        ...VARIABLES[way],
        ...env,
      },
      stdio: [input === undefined && !listens ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: limit,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    this.#child.stdin?.on('error', () => {});
    if (!listens) this.#child.stdin?.end(input);
    this.#child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    this.port = new Promise((resolve, reject) => {
      this.#child.stdout?.setEncoding('utf8').on('data', (part: string) => {
        stdout += part;
        const port = /(?:^listening |^.*:)(\d+)$/m.exec(stdout)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
      void this.ended.then(() => reject(new Error(`it ended before it listened:\n${stdout}${stderr}`)));
    });
    // Programs that listen to nothing have no port, and nobody asks for one.
    this.port.catch(() => {});
  }

  /** By its standard input. */
  say(text: string): void {
    this.#child.stdin?.write(text);
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  /** Begins its recording, or ends it. */
  signal(): void {
    this.#child.kill('SIGUSR2');
  }

  kill(): void {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }
}

const HOOKS = ['--import', REGISTER];
const ARGUMENTS: Record<Way, (into: string) => string[]> = {
  plain: () => [],
  transformed: () => HOOKS,
  recorded: (into) => [CLI, 'record', '--recordings', into],
  later: () => HOOKS,
  restored: (into) => [CLI, 'restore', into],
};
/** Working directories have no package, and so no cache of their own: what is tried here is not how code is transformed. */
const CACHED: NodeJS.ProcessEnv = {
  TURNTABLE_CACHE:
    process.env['TURNTABLE_CACHE'] ??
    fileURLToPath(new URL('../../node_modules/.cache/turntable-tests/transformed', import.meta.url)),
};
const VARIABLES: Record<Way, NodeJS.ProcessEnv> = {
  plain: {},
  transformed: { ...CACHED, TURNTABLE_INCLUDE: '/node_modules/' },
  recorded: { ...CACHED, TURNTABLE_SNAPSHOTS: 'requests=25,end' },
  later: { ...CACHED, TURNTABLE_SNAPSHOTS: 'requests=25,end', TURNTABLE_TRACE: 'later=SIGUSR2' },
  restored: CACHED,
};

/** Its working directory is there in a run again, with nothing in it: the recording may lie beside it, never in it. */
export function forget({ place }: Subject): void {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place);
}

export interface Again {
  /** What was not as it was; nothing, if all was. */
  readonly differences: readonly string[];
  readonly replayed: Replayed;
  /** What stands in its working directory afterwards. */
  readonly left: readonly string[];
}

export function again(subject: Subject, recorded: Ended, args: readonly string[] = []): Again {
  forget(subject);
  const replayed = replay(subject.into, args, CACHED);
  const found = differences(recorded, { ...replayed, output: programsOwn(replayed.output) });
  const left = readdirSync(subject.place);
  if (left.length > 0) found.push(`it wrote ${left.join(', ')}`);
  return { differences: found, replayed, left };
}

/** What goes to standard error where replay --json stands on standard output: the program's output, and warnings, which are no part of it. */
function programsOwn(output: string): string {
  return output.replaceAll(/^\((?:node:|Use ).*\n/gm, '');
}

/** Lines that may be something else the next time begin so. */
export function lasting(text: string): string[] {
  return text.split('\n').filter((line) => !line.startsWith('~'));
}

/** The snapshots of its recording, by their numbers. */
export function phasesOf({ into }: Subject): number[] {
  const snapshots = join(recordingIn(into), 'snapshots');
  // One that begins later has its traces first.
  return (existsSync(snapshots) ? readdirSync(snapshots) : []).flatMap((name) => {
    const found = /^(\d+)\.tts$/.exec(name)?.[1];
    return found === undefined ? [] : [Number(found)];
  });
}
