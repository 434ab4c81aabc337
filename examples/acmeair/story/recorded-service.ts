// The service in its own process, recorded by `turntable record`, and its replay by `turntable replay`.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReplayReport } from '../../../packages/replayer/src/replay/replay-report.ts';
import { CLI, FLAGS } from '../../../scripts/tested-form.ts';

export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** Time limit of a replay, generous for busy machines. */
const REPLAY_TIMEOUT_MS = 300_000;

const turntable = (args: readonly string[]): string[] => [...FLAGS, CLI, ...args];

export interface ServiceExitStatus {
  readonly code: number | null;
  readonly stderr: string;
}

export class RecordedService {
  readonly #child: ChildProcess;
  /** URL of the service; rejects if the service ends before it listens. */
  readonly url: Promise<string>;
  readonly exited: Promise<ServiceExitStatus>;

  /** @param snapshots value of `--snapshots` */
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
      void this.exited.then(() => reject(new Error(`the service ended before it listened:\n${stdout}${stderr}`)));
    });
  }

  stop(): Promise<ServiceExitStatus> {
    this.#child.kill('SIGTERM');
    return this.exited;
  }

  /** Kills the process if it is still running. */
  kill(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}

/** Replays the last recording in the directory and returns the report; undefined after `timeoutMs`. */
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
  if (stdout === '') throw new Error(`the replay printed nothing: ${stderr}`, { cause: error });
  return JSON.parse(stdout) as ReplayReport;
}
