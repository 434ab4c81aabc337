// What the main thread of a process that runs again hears of all threads: when nobody goes on it says what came of it, and ends the process.
import type { Board } from './board.ts';
import { keyOf, stuckIn, type Behind, type CutOf, type Reached, type ReplayedWorker } from '../outcome.ts';
import { PATIENCE_BEHIND } from '../patience.ts';
import { reallyExit, say } from './saying.ts';
import { SPENDING } from './state-cuts.ts';

/** Milliseconds between two looks, and for which others are waited for that say nothing. */
const LOOK = 2;
const PATIENCE = 3000;
/** Milliseconds between two words of how far it has come. */
const OFTEN = 100;
/** Milliseconds between two signs of life behind the last event. */
const BEAT = 1000;
/** For which states are waited for when all have stopped: if all have ended in order, they will come. */
const LAST_CUTS = { ended: 20_000, otherwise: 1000 } as const;
/** Milliseconds of the processor's, in `PATIENCE` or less, that nobody takes who waits. */
const AT_WORK = 20;
/** When something has differed, others that are about to say the same are waited for no longer. */
const SHORT_PATIENCE = 100;

/** What a thread says of itself. */
export type Said =
  /** It has taken the last event of a trace that was cut off, and may be at what its process was killed at. */
  | { readonly behind: Behind }
  | { readonly stopped: ReplayedWorker }
  | { readonly part: CutOf }
  | { readonly reached: Reached };

const MAIN = keyOf({ worker: 0, life: 0 });

const { setInterval: nativeSetInterval } = globalThis;
const now = performance.now.bind(performance);

interface HearingPorts {
  /** What threads have sent by now is taken, where the main thread stands still. */
  hears(): void;
  /** Nothing of the main thread goes on: answers when the process may end. */
  rests(): void;
  /** The process is about to end. */
  leaves(): void;
  /** Whether it does not end, however long nothing is heard. */
  isPatient(): boolean;
}

export class Hearing {
  readonly #board: Board;
  #missing: Set<string>;
  readonly #ports: HearingPorts;
  readonly #cutsExpected: number;
  readonly #workers: ReplayedWorker[] = [];
  #cuts = 0;
  #reached: Reached | undefined;
  readonly #began = now();
  #heard = now();
  /** Of those that have nothing left to take it is not known whether they come to an end. */
  readonly #behind = new Map<string, Behind>();
  #worked = 0;
  /** What all other threads had spent of the processor when one was last seen at work, in milliseconds. */
  #spent = 0;
  #isKept = false;
  /** Nobody who is missing is waited for any more. */
  #isGivenUp = false;
  /** For they are at work, and do not come back from that. */
  #areStuck = false;
  /** When it was said last that the main thread comes back. */
  #said = 0;

  /** @param events how many the main thread has taken, if somebody looks at that */
  constructor(
    board: Board,
    expected: readonly string[],
    cutsExpected: number,
    events: (() => number) | undefined,
    ports: HearingPorts,
  ) {
    this.#ports = ports;
    this.#cutsExpected = cutsExpected;
    this.#board = board;
    this.#missing = new Set(expected);
    nativeSetInterval(() => this.#look(), LOOK).unref();
    if (events !== undefined) nativeSetInterval(() => this.#showProgress(events()), OFTEN).unref();
  }

  /** It was not known before who is to stop. */
  expects(lives: readonly string[]): void {
    this.#missing = new Set(lives);
  }

  #showProgress(events: number): void {
    say({ progress: { events, of: this.#cutsExpected } });
  }

  hear(said: Said): void {
    // What a worker has said of itself has more to say than what the app says of it, and was said before.
    this.#readBoard();
    this.#note(said);
    // The main thread has stopped: the process stays until all have.
    if (this.#isKept || !this.#workers.some(({ worker }) => worker === 0)) return;
    this.#isKept = true;
    nativeSetInterval(() => this.#look(), LOOK);
  }

  #look(): void {
    this.#beat();
    this.#readBoard();
    if (this.#reached !== undefined) this.finish();
    const patience = LAST_CUTS[this.#workers.every(({ stop }) => stop === 'ended') ? 'ended' : 'otherwise'];
    const areThere = this.#cuts >= this.#cutsExpected || this.#isDifferent || now() - this.#heard > patience;
    if (this.#isOver() && areThere) this.finish();
  }

  #readBoard(): void {
    for (const said of this.#board.take()) this.#note(said as Said);
  }

  /** Workers say it by themselves, and the app says it: the first one counts. */
  #note(said: Said): void {
    this.#heard = now();
    if ('behind' in said) return this.#noteBehind(said.behind);
    if ('part' in said) return void this.#cuts++;
    if ('reached' in said) return void (this.#reached ??= said.reached);
    const key = keyOf(said.stopped);
    if (this.#workers.some((each) => keyOf(each) === key)) return;
    this.#workers.push(said.stopped);
    this.#missing.delete(key);
  }

  #noteBehind(behind: Behind): void {
    this.#behind.set(keyOf(behind), behind);
    if (behind.worker === 0) say({ behind });
  }

  /** What the main thread is at it comes back from: to the one that would end it otherwise. */
  #beat(): void {
    if (now() - this.#said < BEAT) return;
    this.#said = now();
    const behind = this.#behind.get(MAIN);
    if (behind !== undefined) say({ behind });
  }

  get #isDifferent(): boolean {
    return this.#workers.some(({ stop }) => stop === 'diverged' || stop === 'failed');
  }

  /** All have stopped; or something has differed, and the main thread has stopped, and nothing was heard for a while. */
  #isOver(): boolean {
    if (this.#missing.size === 0 || this.#reached !== undefined || this.#isGivenUp) return true;
    if (this.#ports.isPatient()) return false;
    if (!this.#isDifferent && this.#isKept) this.#seeWhetherSomebodyWorks();
    const silence = now() - this.#heard;
    if (this.#isDifferent) return silence > SHORT_PATIENCE;
    const idle = now() - Math.max(this.#heard, this.#worked);
    this.#areStuck = this.#isKept && idle <= PATIENCE && silence > PATIENCE_BEHIND;
    return (this.#isGivenUp = this.#areStuck || (this.#isKept && idle > PATIENCE));
  }

  /** Who has something left to take will say something, however long that takes. */
  #seeWhetherSomebodyWorks(): void {
    const spent = SPENDING.all() - SPENDING.own();
    if (spent - this.#spent < AT_WORK) return;
    this.#spent = spent;
    this.#worked = now();
    if ([...this.#missing].some((key) => !this.#behind.has(key))) this.#heard = this.#worked;
  }

  /** Says what came of it and ends the process; at once, if somebody has done something else. */
  finish(): never {
    this.#ports.rests();
    this.#isKept = true;
    this.#heard = now();
    this.#ports.leaves();
    for (this.#readBoard(); !this.#isOver(); this.#readBoard()) {
      this.#beat();
      this.#ports.hears();
      this.#board.wait(LOOK);
    }
    // A state was sent before its thread has stopped.
    this.#ports.hears();
    say({
      outcome: {
        workers: this.#workers.toSorted((a, b) => a.worker - b.worker || a.life - b.life),
        missing: [...this.#missing],
        stuck: this.#areStuck ? [...this.#missing].flatMap((key) => this.#behind.get(key) ?? []).map(stuckIn) : [],
        reached: this.#reached,
        milliseconds: now() - this.#began,
      },
    });
    return reallyExit(0);
  }
}
