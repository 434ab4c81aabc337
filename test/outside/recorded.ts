// Runs programs that use the host: on Node alone, recorded, and replayed. Before the replay, files are deleted and
// servers closed, so a replay that prints the same cannot have performed any host call.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { differences, recordingIn, replay, type ReplayResult } from '../replay/record-and-replay.ts';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';

export const FIXTURES: string = fileURLToPath(new URL('fixtures/', import.meta.url));
/** Timeout after which a process counts as hung. */
const TIMEOUT_MS = 60_000;

/**
 * `plain`: Node alone. `transformed`: the program and its packages transformed as for recording. `later`: recorded from a
 * signal on. `restored`: resumed from the last snapshot.
 */
export type RunMode = 'plain' | 'transformed' | 'recorded' | 'later' | 'restored';

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Subject {
  /** Path in fixtures/. */
  readonly file: string;
  readonly args?: readonly string[];
  /** Working directory for the program's files. It is empty at the start of the run and of its replay. */
  readonly workingDirectory: string;
  /** Directory for the recording. */
  readonly recordings: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Text for standard input, which is closed otherwise and in replays. */
  readonly input?: string | undefined;
  /** Keeps standard input open for `writeInput`. */
  readonly keepsStdinOpen?: boolean | undefined;
  /** Timeout, if the program may take longer than usual. */
  readonly timeoutMs?: number;
}

/** A process that runs a program. */
export class ProgramProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<ProgramExit>;
  /** Port that the program listens on, once it has printed it. */
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
      void this.exited.then(() => reject(new Error(`the program ended before it listened:\n${stdout}${stderr}`)));
    });
    // Programs that do not listen have no port, and their tests do not await it.
    this.port.catch(() => {});
  }

  /** Writes to standard input. */
  writeInput(text: string): void {
    this.#child.stdin?.write(text);
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  /** Starts or ends the recording. */
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
  restored: (recordings) => [CLI, 'restore', '--trusted', recordings],
};
/**
 * Shared cache, because working directories have no package and so no cache. These tests are not about transforming.
 */
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

/** Empties the working directory for a replay. The recording must be elsewhere. */
export function resetDirectory({ workingDirectory }: Subject): void {
  rmSync(workingDirectory, { recursive: true, force: true });
  mkdirSync(workingDirectory);
}

export interface ReplayCheck {
  /** Differences between the recorded run and its replay. */
  readonly differences: readonly string[];
  readonly replay: ReplayResult;
  /** Files in the working directory after the replay. */
  readonly leftFiles: readonly string[];
}

export function replayAndCompare(subject: Subject, recorded: ProgramExit, args: readonly string[] = []): ReplayCheck {
  resetDirectory(subject);
  const replayResult = replay(subject.recordings, args, CACHE_ENV);
  const found = differences(recorded, { ...replayResult, output: programOutput(replayResult.output) });
  const leftFiles = readdirSync(subject.workingDirectory);
  if (leftFiles.length > 0) found.push(`wrote ${leftFiles.join(', ')}`);
  return { differences: found, replay: replayResult, leftFiles };
}

/** Output of the replayed program. With `--json` it is on stderr, mixed with warnings. */
function programOutput(output: string): string {
  return output.replaceAll(/^\((?:node:|Use ).*\n/gm, '');
}

/** Lines that must be equal in all runs. Programs begin other lines with `~`. */
export function stableLines(text: string): string[] {
  return text.split('\n').filter((line) => !line.startsWith('~'));
}

/** Phases of the snapshots of a recording. */
export function snapshotPhasesOf({ recordings }: Subject): number[] {
  const snapshots = join(recordingIn(recordings), 'snapshots');
  // A recording started by a signal has traces before it has snapshots.
  return (existsSync(snapshots) ? readdirSync(snapshots) : []).flatMap((name) => {
    const found = /^(\d+)\.tts$/.exec(name)?.[1];
    return found === undefined ? [] : [Number(found)];
  });
}
