// A recorded program goes on from one of its snapshots in its own process: what cannot be is refused first, and then the process becomes a new
// image of Node that restores the snapshot. An isolate that has run a service cannot be emptied: promises, sockets and callbacks that Node and native
// packages hold would reach into the new life. Of a new image that is impossible, however often.
import { resolve } from 'node:path';
import { hostClock } from '@turntable/core';
import type { ProgramState } from '@turntable/program-state';
import type { Manifest, Origin } from '@turntable/recording';
import { RuntimeError, type App } from '@turntable/runtime';
import { variablesOf } from './continuation.ts';
import {
  becomeImage,
  checkImage,
  flushed,
  PATIENCE,
  resumeEntry,
  whyNoImage,
  within,
  withoutEval,
  type Image,
} from './image.ts';
import { notRecorded } from '../thread/not-recorded.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { RestoreOptions } from './restorable.ts';

export interface InPlaceOptions extends Pick<RestoreOptions, 'code'> {
  /** Which snapshot; the last one that is whole, if it is not given. */
  readonly phase?: number;
  /** Another recording of the program: its directory. */
  readonly recording?: string;
}

/** Which life of its process this is. */
export interface Life {
  readonly epoch: number;
  /** How long ago everybody went back because of a worker that was lost: milliseconds that the program has run since, lately. */
  readonly rollbacks: readonly number[];
  /** With whose code it has gone on, and where. */
  readonly code?: RestoreOptions['code'];
  readonly root?: string | undefined;
  /** What it has gone on from. */
  readonly continues: (Origin & { readonly manifest: Manifest }) | undefined;
}

export const FIRST_LIFE: Life = { epoch: 0, rollbacks: [], continues: undefined };

interface InPlaceParts {
  readonly app: App;
  readonly recorder: Recorder | undefined;
  /** Of a program that is recorded, or was. */
  readonly birth: ProgramState['birth'] | undefined;
  /** Of the program, when it is known. */
  entry(): string | undefined;
  readonly life: Life;
}

/** When everybody has gone back so often while the program ran for so many milliseconds, going back does not help. */
const MOST_ROLLBACKS = 3;
const ROLLBACKS_WITHIN = 10_000;

const { setInterval: nativeSetInterval, clearInterval: nativeClearInterval } = globalThis;

export class InPlace {
  readonly #parts: InPlaceParts;
  /** One at a time. */
  #before: Promise<unknown> = Promise.resolve();
  #isToldOfRollback = false;
  #rollingBack: Promise<void> | undefined;
  #begun = hostClock.now();

  constructor(parts: InPlaceParts) {
    this.#parts = parts;
  }

  /** From here the program runs. */
  begins(): void {
    this.#begun = hostClock.now();
  }

  /** Answers only by failing: then everything goes on as if nothing had been asked. */
  restore(options: InPlaceOptions = {}): Promise<never> {
    const mine = this.#before.then(() => this.#restore(options, this.#rollbacks()));
    this.#before = mine.catch(() => undefined);
    return mine;
  }

  /** A worker is lost and everybody is to go back: answers only if that cannot be, which is told once. */
  rollback(why: string): Promise<void> {
    this.#rollingBack ??= this.#rollback(why).finally(() => (this.#rollingBack = undefined));
    return this.#rollingBack;
  }

  async #rollback(why: string): Promise<void> {
    await this.#before;
    const lately = this.#rollbacks();
    try {
      if (lately.length >= MOST_ROLLBACKS)
        throw new RuntimeError(
          'TT_IN_PLACE',
          `that has been done ${lately.length} times while it ran for less than ${ROLLBACKS_WITHIN / 1000} seconds`,
        );
      const mine = this.#restore({}, [...lately, 0], why);
      this.#before = mine.catch(() => undefined);
      await mine;
    } catch (error) {
      if (this.#isToldOfRollback) return;
      this.#isToldOfRollback = true;
      warn(
        `${why}; everybody was to go back to the last snapshot, but ${(error as Error).message}; actors that are supervised by 'rollback' are made anew instead`,
        'TT_NO_ROLLBACK',
      );
    }
  }

  #rollbacks(): number[] {
    const lived = hostClock.now() - this.#begun;
    return this.#parts.life.rollbacks.map((ago) => ago + lived).filter((ago) => ago < ROLLBACKS_WITHIN);
  }

  async #restore(options: InPlaceOptions, rollbacks: readonly number[], why?: string): Promise<never> {
    const { recorder, birth, life } = this.#parts;
    if (birth === undefined || (recorder === undefined && life.continues === undefined)) throw notRecorded();
    checkOptions(options);
    await requireImage(birth);
    const alive = nativeSetInterval(() => {}, 1000);
    try {
      // From now on there are no new ones, and retention deletes none.
      await recorder?.pause(PATIENCE);
      const origin = await this.#choose(options);
      if (why !== undefined)
        warn(`${why}; everybody goes back to snapshot ${origin.phase} of ${origin.recording}`, 'TT_ROLLBACK');
      const argv = life.continues?.manifest.argv ?? birth.argv;
      const { recording: place, phase, code, root } = origin;
      const next = variablesOf({ place, phase, code, root, epoch: life.epoch + 1, rollbacks });
      await this.#leave({
        ...birth,
        args: [...withoutEval(birth.execArgv), resumeEntry(), ...argv.slice(1)],
        env: { ...birth.env, ...next },
      });
    } finally {
      nativeClearInterval(alive);
      recorder?.resume();
    }
    throw new Error('nothing is left of this');
  }

  /** From here there is no way back. */
  async #leave(image: Image): Promise<void> {
    const { recorder, app } = this.#parts;
    if (process.channel != null)
      warn('the channel to the parent process is closed by going on in place', 'TT_IN_PLACE');
    await within(PATIENCE, app.still());
    await recorder?.leave(PATIENCE);
    await flushed(PATIENCE);
    try {
      becomeImage(image);
    } catch (error) {
      process.stderr.write(`turntable: the process cannot go on in place: ${(error as Error).message}\n`);
      process.exit(1);
    }
  }

  /** The snapshot to go on from; one that is whole and that this program's code can go on from. */
  async #choose({ phase, code, recording: given }: InPlaceOptions): Promise<Origin & RestoreOptions> {
    const { recorder, life, entry } = this.#parts;
    const [{ recordingIn }, { checkProgram, lineage, snapshotAmong }, { restorable }] = await Promise.all([
      import('../places/recording-in.ts'),
      import('./lineage.ts'),
      import('./restorable.ts'),
    ]);
    const own = recorder?.directory;
    const directory = given === undefined ? undefined : recordingIn(resolve(given));
    if (directory !== undefined) checkProgram(directory, entry());
    const behind = directory === undefined ? lineage(own, life.continues) : lineage(directory);
    return snapshotAmong(behind, phase, async (origin) => {
      // What it has recorded itself is of where it is now.
      const root = origin.recording === own ? undefined : life.root;
      const found = { ...origin, code: code ?? life.code, root };
      await restorable(origin.recording, found);
      return found;
    });
  }
}

/** Fails if this process cannot become another image. */
async function requireImage(birth: ProgramState['birth']): Promise<void> {
  const { default: cluster } = await import('node:cluster');
  const why = cluster.isWorker
    ? 'a worker of node:cluster shares its ports with its primary, which another image would not; end it, and fork another one'
    : whyNoImage();
  if (why !== undefined) throw new RuntimeError('TT_IN_PLACE', `this process cannot go on in place: ${why}`);
  try {
    checkImage(birth);
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
