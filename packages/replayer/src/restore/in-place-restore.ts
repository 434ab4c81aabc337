// A recorded program goes on from one of its snapshots in its own process: what cannot be is refused first, and then the process becomes a new
// image of Node that restores the snapshot. An isolate that has run a service cannot be emptied: promises, sockets and callbacks that Node and native
// packages hold would reach into the new life. Of a new image that is impossible, however often.
import { resolve } from 'node:path';
import { hostClock } from '@turntable/core';
import type { ProgramState } from '@turntable/program-state';
import type { Manifest, SnapshotOrigin } from '@turntable/recording';
import { RuntimeError, type ActorSystem } from '@turntable/runtime';
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

export interface InPlaceOptions extends Pick<RestoreOptions, 'code'> {
  /** Which snapshot; the last one that is whole, if it is not given. */
  readonly phase?: number;
  /** Another recording of the program: its directory. */
  readonly recording?: string;
}

/** Which life of its process this is. */
export interface ProcessEpoch {
  readonly epoch: number;
  /** How long ago everybody went back because of a worker that was lost: milliseconds that the program has run since, lately. */
  readonly rollbacks: readonly number[];
  /** With whose code it has gone on, and where. */
  readonly code?: RestoreOptions['code'];
  readonly root?: string | undefined;
  /** What it has gone on from. */
  readonly restoredFrom: (SnapshotOrigin & { readonly manifest: Manifest }) | undefined;
}

export const FIRST_EPOCH: ProcessEpoch = { epoch: 0, rollbacks: [], restoredFrom: undefined };

interface InPlaceDeps {
  readonly app: ActorSystem;
  readonly recorder: Recorder | undefined;
  /** Of a program that is recorded, or was. */
  readonly launch: ProgramState['launch'] | undefined;
  /** Of the program, when it is known. */
  entry(): string | undefined;
  readonly processEpoch: ProcessEpoch;
}

/** When everybody has gone back so often while the program ran for so many milliseconds, going back does not help. */
const MAX_ROLLBACKS = 3;
const ROLLBACK_WINDOW_MS = 10_000;

const { setInterval: nativeSetInterval, clearInterval: nativeClearInterval } = globalThis;

export class InPlaceRestore {
  readonly #deps: InPlaceDeps;
  /** One at a time. */
  #previous: Promise<unknown> = Promise.resolve();
  #hasWarned = false;
  #pendingRollback: Promise<void> | undefined;
  #startedAt = hostClock.now();

  constructor(parts: InPlaceDeps) {
    this.#deps = parts;
  }

  /** From here the program runs. */
  markStarted(): void {
    this.#startedAt = hostClock.now();
  }

  /** Answers only by failing: then everything goes on as if nothing had been asked. */
  restore(options: InPlaceOptions = {}): Promise<never> {
    const pendingRestore = this.#previous.then(() => this.#restore(options, this.#recentRollbacks()));
    this.#previous = pendingRestore.catch(() => undefined);
    return pendingRestore;
  }

  /** A worker is lost and everybody is to go back: answers only if that cannot be, which is told once. */
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
          `that has been done ${recentRollbacks.length} times while it ran for less than ${ROLLBACK_WINDOW_MS / 1000} seconds`,
        );
      const pendingRestore = this.#restore({}, [...recentRollbacks, 0], reason);
      this.#previous = pendingRestore.catch(() => undefined);
      await pendingRestore;
    } catch (error) {
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      warn(
        `${reason}; everybody was to go back to the last snapshot, but ${(error as Error).message}; actors that are supervised by 'rollback' are made anew instead`,
        'TT_NO_ROLLBACK',
      );
    }
  }

  #recentRollbacks(): number[] {
    const elapsedMs = hostClock.now() - this.#startedAt;
    return this.#deps.processEpoch.rollbacks.map((age) => age + elapsedMs).filter((age) => age < ROLLBACK_WINDOW_MS);
  }

  async #restore(options: InPlaceOptions, rollbacks: readonly number[], reason?: string): Promise<never> {
    const { recorder, launch, processEpoch } = this.#deps;
    if (launch === undefined || (recorder === undefined && processEpoch.restoredFrom === undefined))
      throw notRecordedError();
    checkOptions(options);
    await requireReplaceable(launch);
    const keepAlive = nativeSetInterval(() => {}, 1000);
    try {
      // From now on there are no new ones, and retention deletes none.
      await recorder?.pause(SHUTDOWN_TIMEOUT_MS);
      const origin = await this.#chooseSnapshot(options);
      if (reason !== undefined)
        warn(`${reason}; everybody goes back to snapshot ${origin.phase} of ${origin.recording}`, 'TT_ROLLBACK');
      const argv = processEpoch.restoredFrom?.manifest.argv ?? launch.argv;
      const { recording: recordingPath, phase, code, root } = origin;
      const restoreEnv = restoreVariables({
        path: recordingPath,
        phase,
        code,
        root,
        epoch: processEpoch.epoch + 1,
        rollbacks,
      });
      await this.#replaceProcess({
        ...launch,
        args: [...withoutEvalFlags(launch.execArgv), resumeFile(), ...argv.slice(1)],
        env: { ...launch.env, ...restoreEnv },
      });
    } finally {
      nativeClearInterval(keepAlive);
      recorder?.resume();
    }
    throw new Error('nothing is left of this');
  }

  /** From here there is no way back. */
  async #replaceProcess(image: ProcessImage): Promise<void> {
    const { recorder, app } = this.#deps;
    if (process.channel != null)
      warn('the channel to the parent process is closed by going on in place', 'TT_IN_PLACE');
    await waitAtMost(SHUTDOWN_TIMEOUT_MS, app.halt());
    await recorder?.endForRestore(SHUTDOWN_TIMEOUT_MS);
    await flushOutput(SHUTDOWN_TIMEOUT_MS);
    try {
      execImage(image);
    } catch (error) {
      process.stderr.write(`turntable: the process cannot go on in place: ${(error as Error).message}\n`);
      process.exit(1);
    }
  }

  /** The snapshot to go on from; one that is whole and that this program's code can go on from. */
  async #chooseSnapshot({
    phase,
    code,
    recording: otherRecording,
  }: InPlaceOptions): Promise<SnapshotOrigin & RestoreOptions> {
    const { recorder, processEpoch, entry } = this.#deps;
    const [{ resolveRecording }, { requireSameProgram, lineage, findSnapshot }, { loadRestorable }] = await Promise.all(
      [import('../paths/recording-lookup.ts'), import('./lineage.ts'), import('./restorable-snapshot.ts')],
    );
    const ownDirectory = recorder?.directory;
    const directory = otherRecording === undefined ? undefined : resolveRecording(resolve(otherRecording));
    if (directory !== undefined) requireSameProgram(directory, entry());
    const lineageOfRun =
      directory === undefined ? lineage(ownDirectory, processEpoch.restoredFrom) : lineage(directory);
    return findSnapshot(lineageOfRun, phase, async (origin) => {
      // What it has recorded itself is of where it is now.
      const root = origin.recording === ownDirectory ? undefined : processEpoch.root;
      const candidate = { ...origin, code: code ?? processEpoch.code, root };
      await loadRestorable(origin.recording, candidate);
      return candidate;
    });
  }
}

/** Fails if this process cannot become another image. */
async function requireReplaceable(launch: ProgramState['launch']): Promise<void> {
  const { default: cluster } = await import('node:cluster');
  const reason = cluster.isWorker
    ? 'a worker of node:cluster shares its ports with its primary, which another image would not; end it, and fork another one'
    : imageProblem();
  if (reason !== undefined) throw new RuntimeError('TT_IN_PLACE', `this process cannot go on in place: ${reason}`);
  try {
    requireImagePaths(launch);
  } catch (error) {
    throw new RuntimeError(
      'TT_IN_PLACE',
      `this process cannot go on in place: what it was started with is gone: ${(error as Error).message}; put it back`,
      { cause: error },
    );
  }
}

function warn(message: string, code: string): void {
  process.emitWarning(message, { code });
}

function checkOptions({ phase, code, recording }: InPlaceOptions): void {
  if (phase !== undefined && !(Number.isSafeInteger(phase) && phase >= 0))
    throw new RuntimeError('TT_OPTIONS', `phase: the number of a snapshot, not ${String(phase)}`);
  if (code !== undefined && code !== 'files' && code !== 'recorded')
    throw new RuntimeError('TT_OPTIONS', `code: 'files' or 'recorded', not ${String(code)}`);
  if (recording !== undefined && typeof recording !== 'string')
    throw new RuntimeError('TT_OPTIONS', `recording: the directory of one, not ${String(recording)}`);
}
