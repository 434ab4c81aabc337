// What a recorded process answers to others of its user. It is the writer's thread that answers: the program's own is asked only for what it alone can do, and waits for nobody.
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bytesIn, phasesIn } from '../recordings.ts';
import type { RecordingWriter } from '../recording-writer.ts';
import { ControlDoor } from './door.ts';
import { WISHES, type ControlMethod, type GrantedSnapshot, type ServiceState, type Wish } from './messages.ts';

export interface Controlled {
  /** The one that is being written, or was last. */
  recording(): RecordingWriter | undefined;
  /** What keeps something from being written, if anything does. */
  trouble(): string | null;
  isOff(): boolean;
  /** Has the program's thread commit what it has traced; it says when that is `published`. */
  publish(): void;
  /** All that threads have committed goes to the disk. */
  flush(): void;
  /** Has the program's thread asked; it is to be granted, or not. */
  wish(number: number, wish: Wish): void;
}

/** Milliseconds: a program's thread that is busy for longer is not waited for. */
const PATIENCE = 250;
/** Milliseconds between two flushes, and between two looks at how large a recording is. */
const REST = 100;
const LOOK = 1000;

export class Control {
  readonly #controlled: Controlled;
  readonly #door: ControlDoor;
  /** Whether the program's thread can be asked. */
  #grants = false;
  #last = 0;
  readonly #asked = new Map<number, PromiseWithResolvers<GrantedSnapshot>>();
  /** One that is under way, and a rest behind it. */
  #flushing: Promise<void> = Promise.resolve();
  #nextFlush: Promise<void> | undefined;
  #published = Promise.withResolvers<void>();
  #looked = -LOOK;
  #bytes = 0;
  #snapshots = 0;

  constructor(controlled: Controlled) {
    this.#controlled = controlled;
    this.#door = new ControlDoor((method) => this.#answer(method));
  }

  /** Settles when others can ask. Rejects with why they cannot. */
  open(places: readonly string[]): Promise<void> {
    return this.#door.open(places);
  }

  close(): void {
    this.#door.close();
  }

  /** From now on the program's thread can be asked. */
  begins(): void {
    this.#grants = true;
  }

  /** What it has traced so far is committed. */
  published(): void {
    this.#published.resolve();
  }

  /** It has been, and this came of it. @param why not, if not */
  granted(number: number, taken: GrantedSnapshot | undefined, why: string | undefined): void {
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
    this.#looked = -LOOK;
    if (taken === undefined) asked?.reject(new Error(why ?? 'the disk does not take it'));
    else asked?.resolve(taken);
  }

  /** Nothing will be granted any more. */
  fails(why: string): void {
    for (const asked of this.#asked.values()) asked.reject(new Error(why));
    this.#asked.clear();
  }

  async #answer(method: ControlMethod): Promise<object> {
    if (method === 'who') return this.#state();
    if (method === 'flush') {
      await (this.#nextFlush ??= this.#flushNext());
      this.#looked = -LOOK;
      return this.#state();
    }
    const why = this.#whyNot(method);
    if (why !== undefined) throw new Error(why);
    const number = ++this.#last;
    const asked = Promise.withResolvers<GrantedSnapshot>();
    this.#asked.set(number, asked);
    this.#controlled.wish(number, method);
    return asked.promise;
  }

  /** Who asks while one is under way gets the next one: what has come since may not be in it. */
  async #flushNext(): Promise<void> {
    await this.#flushing;
    this.#nextFlush = undefined;
    const flushed = this.#flush();
    this.#flushing = flushed.then(() => delay(REST));
    await flushed;
  }

  async #flush(): Promise<void> {
    this.#published = Promise.withResolvers();
    this.#controlled.publish();
    await Promise.race([this.#published.promise, delay(PATIENCE)]);
    this.#controlled.flush();
  }

  #recording(): RecordingWriter {
    const recording = this.#controlled.recording();
    if (recording !== undefined) return recording;
    throw new Error('nothing is recorded here any more');
  }

  #state(): ServiceState {
    const recording = this.#recording();
    const { manifest, directory, state, since } = recording;
    const { pid, entry, argv, cwd, versions, created } = manifest;
    const now = performance.now();
    if (now >= this.#looked + LOOK) {
      this.#bytes = bytesIn(directory);
      this.#snapshots = phasesIn(directory).length;
      this.#looked = now;
    }
    const isOff = this.#controlled.isOff();
    return {
      pid,
      program: programOf(entry, argv),
      argv,
      cwd,
      versions: { turntable: versions.turntable, node: versions.node },
      began: Date.parse(created),
      recording: resolve(cwd, directory),
      state: isOff ? 'off' : state,
      since: isOff ? null : since,
      isTraced: recording.traces.isTraced,
      bytes: this.#bytes,
      snapshots: this.#snapshots,
      trouble: this.#controlled.trouble(),
      wishes: WISHES.filter((wish) => this.#whyNot(wish) === undefined),
    };
  }

  #whyNot(wish: Wish): string | undefined {
    const { state, isLater } = this.#recording();
    if (this.#controlled.isOff()) return 'nothing can be recorded any more: start the program again';
    if (!this.#grants)
      return 'this program takes no snapshots of itself: start it with --snapshots end, or every=30s, and it can be asked for some';
    if (!isLater && wish !== 'snapshot')
      return 'this program is recorded from its start to its end; to begin and to end at other times, start it with --later';
    const isRecorded = state === 'recording';
    if (wish === 'start') return isRecorded ? 'it is being recorded already' : undefined;
    return isRecorded ? undefined : 'it is not being recorded now';
  }
}

function programOf(entry: string | null, [, file]: readonly string[]): string | null {
  if (entry === null) return file ?? null;
  return entry.startsWith('file:') ? fileURLToPath(entry) : entry;
}
