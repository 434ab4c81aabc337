// Captures programs that hold host objects in one process and restores them in another.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested-form.ts';

const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url));
const CAPTURE_FLAGS = ['--import', `${FIXTURES}capture-when-asked.mjs`];

export interface ProcessResult {
  readonly stdout: string;
  /** Without text that differs between processes. */
  readonly stderr: string;
  readonly status: number | null;
}

function environment(state: string | undefined): NodeJS.ProcessEnv {
  const { STATE: _, ...others } = process.env;
  return {
    ...others,
    NODE_OPTIONS: '',
    NO_COLOR: '1',
    ...(state === undefined ? {} : { STATE: state }),
  };
}

function runNode(args: readonly string[], state: string | undefined, extraEnv: NodeJS.ProcessEnv = {}): ProcessResult {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...FLAGS, ...args], {
    cwd: FIXTURES,
    encoding: 'utf8',
    env: { ...environment(state), ...extraEnv },
  });
  return {
    stdout,
    stderr: stderr.replace(/^\(Use `node --trace-warnings.*\n/m, '').replaceAll(/\(node:\d+\) /g, ''),
    status,
  };
}

/** Runs a fixture until it calls `process.emit('capture')`. */
export function runToCapture(fixture: string, state: string): ProcessResult {
  return runNode([...CAPTURE_FLAGS, fixture], state);
}

/** Restores a state, and runs to the next capture if `next` is given. */
export function restoreProcess(state: string, next?: string, extraEnv?: NodeJS.ProcessEnv): ProcessResult {
  return runNode([CLI, 'restore', '--trusted', ...(next === undefined ? [] : CAPTURE_FLAGS), state], next, extraEnv);
}

/** Runs a program that takes a snapshot into a directory of recordings and then continues. */
export function runRecorded(fixture: string, recordings: string): ProcessResult {
  const register = ['--import', REGISTER];
  return runNode([...register, fixture], undefined, { TURNTABLE_RECORDINGS: recordings });
}

export class RunningProgram {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  #stdout = '';
  #stderr = '';
  #onOutput: (() => void) | undefined;

  constructor(args: readonly string[], state?: string) {
    this.child = spawn(process.execPath, [...FLAGS, ...args], {
      cwd: FIXTURES,
      env: environment(state),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stderr?.setEncoding('utf8').on('data', (part: string) => (this.#stderr += part));
    this.child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      this.#stdout += part;
      this.#onOutput?.();
    });
    this.exited = new Promise((resolve) => {
      this.child.on('close', (code) => {
        resolve(code);
        this.#onOutput?.();
      });
    });
  }

  static startToCapture(fixture: string, state: string): RunningProgram {
    return new RunningProgram([...CAPTURE_FLAGS, fixture], state);
  }

  static restore(state: string): RunningProgram {
    return new RunningProgram([CLI, 'restore', '--trusted', state]);
  }

  /** Waits until the output matches a pattern. Returns its first group, or the whole match. */
  async waitForOutput(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#stdout);
      if (found !== null) return found[1] ?? found[0];
      if (this.child.exitCode !== null) throw new Error(`the program has ended: ${this.#stdout}${this.#stderr}`);
      await new Promise<void>((resolve) => (this.#onOutput = resolve));
    }
  }

  get stderr(): string {
    return this.#stderr;
  }

  kill(): void {
    if (this.child.exitCode === null) this.child.kill('SIGKILL');
  }
}
