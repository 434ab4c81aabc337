// Programs that reach the outside, three times: as Node runs them, recorded, and again from the recording. What the outside was is gone by the third
// time: files are deleted, servers closed, nobody listens. So a run again that prints the same has performed nothing.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { differences, recordingIn, replay, type ReplayResult } from '../replay/record-and-replay.ts';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';

export const FIXTURES: string = fileURLToPath(new URL('fixtures/', import.meta.url));
/** Milliseconds: what has not ended by then waits for something that will not come. */
const TIMEOUT_MS = 60_000;

/** Node alone; the program and all its packages transformed, as where they are recorded; recorded; recorded from a signal on; going on from its last snapshot. */
export type RunMode = 'plain' | 'transformed' | 'recorded' | 'later' | 'restored';

export interface ProgramExit {
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
  readonly workingDirectory: string;
  /** Where its recording goes. */
  readonly recordings: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What comes by its standard input, which is not there otherwise, nor when it runs again. */
  readonly input?: string | undefined;
  /** What comes by its standard input is said to it while it runs. */
  readonly keepsStdinOpen?: boolean | undefined;
  /** Milliseconds, if it may take longer than a program in a test. */
  readonly timeoutMs?: number;
}

/** One life of a program, in a process of its own. */
export class ProgramProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<ProgramExit>;
  /** Where it listens, once it has said so. */
  readonly port: Promise<number>;

  constructor(
    mode: RunMode,
    {
      file,
      args = [],
      workingDirectory,
      recordings,
      env = {},
      input,
      keepsStdinOpen = false,
      timeoutMs = TIMEOUT_MS,
    }: Subject,
  ) {
    mkdirSync(workingDirectory, { recursive: true });
    const flags = [...FLAGS, ...FLAGS_BY_MODE[mode](recordings)];
    const program = mode === 'restored' ? [] : [join(FIXTURES, file), ...args];
    this.#child = spawn(process.execPath, [...flags, ...program], {
      cwd: workingDirectory,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        NO_COLOR: '1',
        ...(mode === 'later' ? { TURNTABLE_RECORDINGS: recordings } : {}),
        ...ENV_BY_MODE[mode],
        ...env,
      },
      stdio: [input === undefined && !keepsStdinOpen ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    this.#child.stdin?.on('error', () => {});
    if (!keepsStdinOpen) this.#child.stdin?.end(input);
    this.#child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    this.exited = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    this.port = new Promise((resolve, reject) => {
      this.#child.stdout?.setEncoding('utf8').on('data', (part: string) => {
        stdout += part;
        const port = /(?:^listening |^.*:)(\d+)$/m.exec(stdout)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
      void this.exited.then(() => reject(new Error(`it ended before it listened:\n${stdout}${stderr}`)));
    });
    // Programs that listen to nothing have no port, and nobody asks for one.
    this.port.catch(() => {});
  }

  /** By its standard input. */
  writeInput(text: string): void {
    this.#child.stdin?.write(text);
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  /** Begins its recording, or ends it. */
  toggleRecording(): void {
    this.#child.kill('SIGUSR2');
  }

  kill(): void {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }
}

const HOOKS = ['--import', REGISTER];
const FLAGS_BY_MODE: Record<RunMode, (recordings: string) => string[]> = {
  plain: () => [],
  transformed: () => HOOKS,
  recorded: (recordings) => [CLI, 'record', '--recordings', recordings],
  later: () => HOOKS,
  restored: (recordings) => [CLI, 'restore', recordings],
};
/** Working directories have no package, and so no cache of their own: what is tried here is not how code is transformed. */
const CACHE_ENV: NodeJS.ProcessEnv = {
  TURNTABLE_CACHE:
    process.env['TURNTABLE_CACHE'] ??
    fileURLToPath(new URL('../../node_modules/.cache/turntable-tests/transformed', import.meta.url)),
};
const ENV_BY_MODE: Record<RunMode, NodeJS.ProcessEnv> = {
  plain: {},
  transformed: { ...CACHE_ENV, TURNTABLE_INCLUDE: '/node_modules/' },
  recorded: { ...CACHE_ENV, TURNTABLE_SNAPSHOTS: 'requests=25,end' },
  later: { ...CACHE_ENV, TURNTABLE_SNAPSHOTS: 'requests=25,end', TURNTABLE_TRACE: 'later=SIGUSR2' },
  restored: CACHE_ENV,
};

/** Its working directory is there in a run again, with nothing in it: the recording may lie beside it, never in it. */
export function resetDirectory({ workingDirectory }: Subject): void {
  rmSync(workingDirectory, { recursive: true, force: true });
  mkdirSync(workingDirectory);
}

export interface ReplayCheck {
  /** What was not as it was; nothing, if all was. */
  readonly differences: readonly string[];
  readonly replay: ReplayResult;
  /** What stands in its working directory afterwards. */
  readonly leftFiles: readonly string[];
}

export function replayAndCompare(subject: Subject, recorded: ProgramExit, args: readonly string[] = []): ReplayCheck {
  resetDirectory(subject);
  const replayResult = replay(subject.recordings, args, CACHE_ENV);
  const found = differences(recorded, { ...replayResult, output: programOutput(replayResult.output) });
  const leftFiles = readdirSync(subject.workingDirectory);
  if (leftFiles.length > 0) found.push(`it wrote ${leftFiles.join(', ')}`);
  return { differences: found, replay: replayResult, leftFiles };
}

/** What goes to standard error where replay --json stands on standard output: the program's output, and warnings, which are no part of it. */
function programOutput(output: string): string {
  return output.replaceAll(/^\((?:node:|Use ).*\n/gm, '');
}

/** Lines that may be something else the next time begin so. */
export function stableLines(text: string): string[] {
  return text.split('\n').filter((line) => !line.startsWith('~'));
}

/** The snapshots of its recording, by their numbers. */
export function snapshotPhasesOf({ recordings }: Subject): number[] {
  const snapshots = join(recordingIn(recordings), 'snapshots');
  // One that begins later has its traces first.
  return (existsSync(snapshots) ? readdirSync(snapshots) : []).flatMap((name) => {
    const found = /^(\d+)\.tts$/.exec(name)?.[1];
    return found === undefined ? [] : [Number(found)];
  });
}
