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
  /** All that threads have committed goes to the disk. */
  flush(): void;
  /** Has the program's thread asked; it is to be granted, or not. */
  wish(number: number, wish: Wish): void;
}

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
  #flushing: Promise<void> | undefined;
  #flushed = -REST;
  #looked = -LOOK;
  #bytes = 0;

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

  /** It has been, and this came of it. @param why not, if not */
  granted(number: number, taken: GrantedSnapshot | undefined, why: string | undefined): void {
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
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
      await (this.#flushing ??= this.#flush());
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

  async #flush(): Promise<void> {
    await delay(Math.max(0, this.#flushed + REST - performance.now()));
    this.#flushing = undefined;
    this.#controlled.flush();
    this.#flushed = performance.now();
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
      snapshots: phasesIn(directory).length,
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
