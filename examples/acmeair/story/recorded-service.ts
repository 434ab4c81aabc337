// The service in a process of its own, recorded, and its run again: what `turntable record` and `turntable replay` are to a script.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReplayReport } from '../../../packages/replayer/src/replay/replay-report.ts';

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url));
const CLI = fileURLToPath(new URL('../../../packages/turntable/src/cli.ts', import.meta.url));
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** Milliseconds: what has not ended by then never will, even where all else goes before it. */
const REPLAY_TIMEOUT_MS = 300_000;

const turntable = (args: readonly string[]): string[] => ['-C', 'turntable-source', CLI, ...args];

export interface ServiceExitStatus {
  readonly code: number | null;
  readonly stderr: string;
}

export class RecordedService {
  readonly #child: ChildProcess;
  /** Where it listens; rejected if it ends before it does. */
  readonly url: Promise<string>;
  readonly exited: Promise<ServiceExitStatus>;

  /** @param snapshots when one is taken, as `--snapshots` has it */
  constructor(recordings: string, snapshots: string, env: NodeJS.ProcessEnv) {
    const args = turntable(['record', '--recordings', recordings, '--snapshots', snapshots, MAIN]);
    this.#child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ACMEAIR_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    this.#child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    this.exited = new Promise((resolve) => this.#child.on('close', (code) => resolve({ code, stderr })));
    this.url = new Promise((resolve, reject) => {
      let stdout = '';
      this.#child.stdout?.setEncoding('utf8').on('data', (part: string) => {
        stdout += part;
        const url = /is at (\S+)\n/.exec(stdout)?.[1];
        if (url !== undefined) resolve(url);
      });
      void this.exited.then(() => reject(new Error(`it ended before it listened:\n${stdout}${stderr}`)));
    });
  }

  stop(): Promise<ServiceExitStatus> {
    this.#child.kill('SIGTERM');
    return this.exited;
  }

  /** Nothing is left of it, however it goes. */
  kill(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}

/** What `turntable replay` says of the last run that was recorded there; nothing, if that takes more than so many milliseconds. */
export function replayService(
  recordings: string,
  args: readonly string[],
  timeoutMs: number = REPLAY_TIMEOUT_MS,
): ReplayReport | undefined {
  const { stdout, stderr, error } = spawnSync(
    process.execPath,
    turntable(['replay', recordings, '--json', '--console', 'mute', ...args]),
    { cwd: ROOT, encoding: 'utf8', timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 2 ** 28 },
  );
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT') return undefined;
  if (stdout === '') throw new Error(`the replay said nothing: ${stderr}`, { cause: error });
  return JSON.parse(stdout) as ReplayReport;
}
