// Restores a recorded program from one of its snapshots in the same process. After all checks, the process replaces its
// image by a new one of Node, which restores the snapshot. The old isolate cannot be reused: promises, sockets and
// callbacks that Node and native packages hold would survive into the new epoch.
import { resolve } from 'node:path';
import { hostClock } from '@turntable/core';
import type { ProgramState } from '@turntable/program-state';
import type { Manifest, SnapshotOrigin } from '@turntable/recording';
import { checkOptionNames, RuntimeError, type ActorSystem } from '@turntable/runtime';
import { restoreVariables } from './restore-request.ts';
import {
  execImage,
  requireImagePaths,
  flushOutput,
  SHUTDOWN_TIMEOUT_MS,
  resumeFile,
  imageProblem,
  waitAtMost,
  withoutEvalFlags,
  type ProcessImage,
} from './process-image.ts';
import { notRecordedError } from '../thread/not-recorded-error.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { RestoreOptions } from './restorable-snapshot.ts';

/** Options of `app.restore`. */
export interface InPlaceOptions extends Pick<RestoreOptions, 'code'> {
  /** Phase of the snapshot; undefined for the last complete one. */
  readonly phase?: number;
  /** Directory of another recording of the same program. */
  readonly recording?: string;
}

export interface ProcessEpoch {
  readonly epoch: number;
  /** Running time of the program since each recent rollback, in milliseconds. */
  readonly rollbacks: readonly number[];
  /** `code` and `root` are the options with which the program was restored. */
  readonly code?: RestoreOptions['code'];
  readonly root?: string | undefined;
  readonly restoredFrom: (SnapshotOrigin & { readonly manifest: Manifest }) | undefined;
}

export const FIRST_EPOCH: ProcessEpoch = { epoch: 0, rollbacks: [], restoredFrom: undefined };

interface InPlaceDeps {
  readonly app: ActorSystem;
  readonly recorder: Recorder | undefined;
  /** Present if the program is recorded, or was restored from a recording. */
  readonly launch: ProgramState['launch'] | undefined;
  /** Entry file of the program, once known. */
  entry(): string | undefined;
  readonly processEpoch: ProcessEpoch;
}

/** Maximum number of rollbacks within the window of running time. If there are more, a rollback does not help. */
const MAX_ROLLBACKS = 3;
const ROLLBACK_WINDOW_MS = 10_000;

const { setInterval: nativeSetInterval, clearInterval: nativeClearInterval } = globalThis;

export class InPlaceRestore {
  readonly #deps: InPlaceDeps;
  /** The last restore or rollback; they run one after the other. */
  #previous: Promise<unknown> = Promise.resolve();
  #hasWarned = false;
  #pendingRollback: Promise<void> | undefined;
  #startedAt = hostClock.now();

  constructor(parts: InPlaceDeps) {
    this.#deps = parts;
  }

  /** Must be called when the program starts to run. */
  markStarted(): void {
    this.#startedAt = hostClock.now();
  }

  /** Restores a snapshot in place. If that is impossible, it rejects and the program continues unchanged. */
  restore(options: InPlaceOptions = {}): Promise<never> {
    const pendingRestore = this.#previous.then(() => this.#restore(options, this.#recentRollbacks()));
    this.#previous = pendingRestore.catch(() => undefined);
    return pendingRestore;
  }

  /** Rolls back after the loss of a worker. Resolves only if the rollback fails, the first time with a warning. */
  rollback(reason: string): Promise<void> {
    this.#pendingRollback ??= this.#rollback(reason).finally(() => (this.#pendingRollback = undefined));
    return this.#pendingRollback;
  }

  async #rollback(reason: string): Promise<void> {
    await this.#previous;
    const recentRollbacks = this.#recentRollbacks();
    try {
      if (recentRollbacks.length >= MAX_ROLLBACKS)
        throw new RuntimeError(
          'TT_IN_PLACE',
          `the program was rolled back ${recentRollbacks.length} times within ${ROLLBACK_WINDOW_MS / 1000} seconds`,
        );
      const pendingRestore = this.#restore({}, [...recentRollbacks, 0], reason);
      this.#previous = pendingRestore.catch(() => undefined);
      await pendingRestore;
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      warn(
        `${reason}; the program cannot be rolled back to the last snapshot: ${(error as Error).message}; actors supervised by 'rollback' are restarted instead`,
        'TT_NO_ROLLBACK',
      );
    }
  }

  #recentRollbacks(): number[] {
    const elapsedMs = hostClock.now() - this.#startedAt;
    return this.#deps.processEpoch.rollbacks.map((age) => age + elapsedMs).filter((age) => age < ROLLBACK_WINDOW_MS);
  }

  async #restore(options: InPlaceOptions, rollbacks: readonly number[], reason?: string): Promise<never> {
    checkOptions(options);
    const { recorder, launch, processEpoch } = this.#deps;
    if (launch === undefined || (recorder === undefined && processEpoch.restoredFrom === undefined))
      throw notRecordedError();
    await requireReplaceable(launch);
    const keepAlive = nativeSetInterval(() => {}, 1000);
    try {
      // Stops new snapshots, and with them retention, which could delete the chosen one.
      await recorder?.pause(SHUTDOWN_TIMEOUT_MS);
      const origin = await this.#chooseSnapshot(options);
      if (reason !== undefined)
        warn(`${reason}; rolling back to snapshot ${origin.phase} of ${origin.recording}`, 'TT_ROLLBACK');
      const argv = processEpoch.restoredFrom?.manifest.argv ?? launch.argv;
      const { recording: path, phase, code, root } = origin;
      const epoch = processEpoch.epoch + 1;
      const restoreEnv = restoreVariables({ path, phase, code, root, epoch, rollbacks });
      await this.#replaceProcess({
        ...launch,
        args: [...withoutEvalFlags(launch.execArgv), resumeFile(), ...argv.slice(1)],
        env: { ...launch.env, ...restoreEnv },
      });
    } finally {
      nativeClearInterval(keepAlive);
      recorder?.resume();
    }
    throw new Error('the process was not replaced');
  }

  /** Replaces the process image. The program has stopped by then, so an error ends the process. */
  async #replaceProcess(image: ProcessImage): Promise<void> {
    const { recorder, app } = this.#deps;
    if (process.channel != null) warn('a restore in place closes the channel to the parent process', 'TT_IN_PLACE');
    await waitAtMost(SHUTDOWN_TIMEOUT_MS, app.halt());
    await recorder?.endForRestore(SHUTDOWN_TIMEOUT_MS);
    await flushOutput(SHUTDOWN_TIMEOUT_MS);
    try {
      execImage(image);
    } catch (error) {
      process.stderr.write(`turntable: the process cannot be restored in place: ${(error as Error).message}\n`);
      process.exit(1);
    }
  }

  /** Chooses a complete snapshot that can be restored with the current code. */
  async #chooseSnapshot({ phase, code, recording }: InPlaceOptions): Promise<SnapshotOrigin & RestoreOptions> {
    const { recorder, processEpoch, entry } = this.#deps;
    const [{ resolveRecording }, { requireSameProgram, lineage, findSnapshot }, { loadRestorable }] = await Promise.all(
      [import('../paths/recording-lookup.ts'), import('./lineage.ts'), import('./restorable-snapshot.ts')],
    );
    const ownDirectory = recorder?.directory;
    const directory = recording === undefined ? undefined : resolveRecording(resolve(recording));
    if (directory !== undefined) requireSameProgram(directory, entry());
    const lineageOfRun =
      directory === undefined ? lineage(ownDirectory, processEpoch.restoredFrom) : lineage(directory);
    return findSnapshot(lineageOfRun, phase, async (origin) => {
      // This process's own recording needs no other root.
      const root = origin.recording === ownDirectory ? undefined : processEpoch.root;
      const candidate = { ...origin, code: code ?? processEpoch.code, root };
      await loadRestorable(origin.recording, candidate);
      return candidate;
    });
  }
}

/** @throws if this process cannot replace its image */
async function requireReplaceable(launch: ProgramState['launch']): Promise<void> {
  const { default: cluster } = await import('node:cluster');
  const reason = cluster.isWorker
    ? 'a worker of node:cluster shares ports with its primary, which a new process image cannot; end it and fork another one'
    : imageProblem();
  if (reason !== undefined)
    throw new RuntimeError('TT_IN_PLACE', `this process cannot be restored in place: ${reason}`);
  try {
    requireImagePaths(launch);
  } catch (error) {
    throw new RuntimeError(
      'TT_IN_PLACE',
      `this process cannot be restored in place: ${(error as Error).message}; restore the file`,
      { cause: error },
    );
  }
}

function warn(message: string, code: string): void {
  process.emitWarning(message, { code });
}

function checkOptions(options: InPlaceOptions): void {
  checkOptionNames('app.restore()', options, ['phase', 'code', 'recording']);
  const { phase, code, recording } = options;
  if (phase !== undefined && !(Number.isSafeInteger(phase) && phase >= 0))
    throw new RuntimeError('TT_OPTIONS', `phase must be the number of a snapshot, not ${String(phase)}`);
  if (code !== undefined && code !== 'files' && code !== 'recorded')
    throw new RuntimeError('TT_OPTIONS', `code must be 'files' or 'recorded', not ${String(code)}`);
  if (recording !== undefined && typeof recording !== 'string')
    throw new RuntimeError('TT_OPTIONS', `recording must be the directory of a recording, not ${String(recording)}`);
}
