// The stretches of a thread that runs again (docs/survey.md): where each begins, before any code of it, and where nothing of it runs any more. One who watches is told:
// who notes them, or who keeps the thread from going on. It changes nothing of the run, and says nothing to the program.
import type { StatementClock } from '@turntable/core';
import type { EntryEvent, TraceEvent, TraceSource } from '@turntable/recording';
import type { StretchKind } from '@turntable/time-machine/notes';
import type { Onlooker } from '@turntable/runtime';

/**
 * Statement lists that a thread may enter behind the last event of a trace that was cut off. Whoever was killed was at something that may have taken for ever, which is what
 * somebody wants to see: it is gone into as far as this, by all runs alike.
 */
const MOST_BEHIND = 3_000_000;
/** Of stretches that begin there so many are told of. */
const MOST_TOLD = 500;
/** A stretch takes as long as so many lists before any code of it runs. */
const BEGINNING = 100;

type Told = Parameters<NonNullable<Onlooker['begins']>>;

export interface BegunTurn {
  readonly turn: number;
  readonly actor: Told[1];
  readonly call: Told[2];
  /** The object that it is about, if it is a call. */
  readonly on: object | undefined;
  /** With what, who waits for the outcome, and whose message it is, if that is known. The program's own: to be looked at, and not to be kept. */
  readonly args: readonly unknown[];
  readonly settles: unknown;
  readonly sender: Told[3];
}

export interface Begun {
  readonly kind: StretchKind;
  /** Of native code. */
  readonly entry?: EntryEvent;
  readonly turn?: BegunTurn;
}

export interface StretchWatcher {
  /** Nothing of the program is to run before it answers. */
  begins(stretch: Begun): void;
  /** @param lists statement lists that it has entered; 0 where nobody counts */
  ends(lists: number): void;
  /** An event of the trace is taken; between stretches, if another worker or the runtime is behind it. */
  takes?(event: TraceEvent): void;
  /** A phase begins, perhaps without a snapshot. */
  cut?(phase: number, isBare: boolean): void;
  /** A message of another worker is taken. */
  takesFrom?(worker: number): void;
}

export interface BehindTrace {
  /** The last event of a trace that was cut off has been taken, and so many stretches have begun since. */
  behind(stretches: number): void;
  /** What runs there is to go no further. */
  cutOff(): never;
}

const NOT_GIVEN: Parameters<NonNullable<Onlooker['given']>> = [undefined, [], undefined];

export class Stretches {
  readonly #watcher: StretchWatcher;
  readonly #ports: BehindTrace;
  readonly #stuck: number | undefined;
  #source: TraceSource | undefined;
  /** Behind the last event: how many lists may still be entered, and how many of the stretch that runs had been when that was known. */
  #left: number | undefined;
  #leftAt = 0;
  /** So many have begun there. */
  #behind = 0;
  /** Of a program whose code has probes. */
  #clock: StatementClock | undefined;
  #isOpen = false;
  /** What a turn that is about to begin is about. */
  #given: Parameters<NonNullable<Onlooker['given']>> = NOT_GIVEN;
  /** The entry that was told of last: it is told of once more if it could not be performed. */
  #entered: TraceEvent | undefined;

  /** @param stuck it does not come back from that one of the stretches that begin behind the last event, or from the one in which that is (0) */
  constructor(watcher: StretchWatcher, ports: BehindTrace, stuck?: number) {
    this.#watcher = watcher;
    this.#ports = ports;
    this.#stuck = stuck;
  }

  /** Before the program. */
  countBy(clock: StatementClock | undefined): void {
    this.#clock = clock;
  }

  /** The same trace; what is taken of it is seen. */
  watch(source: TraceSource): TraceSource {
    this.#source = source;
    const taken = (event: TraceEvent): void => this.#taken(event);
    return {
      get next() {
        return source.next;
      },
      get taken() {
        return source.taken;
      },
      get end() {
        return source.end;
      },
      take() {
        const { next } = source;
        source.take();
        if (next !== undefined) taken(next);
      },
    };
  }

  #taken(event: TraceEvent): void {
    if (event.what === 'messages' || event.what === 'happened') this.close();
    this.#watcher.takes?.(event);
    this.#lookBehind();
    // In the midst of the statement that it does not come back from.
    if (this.#left !== undefined && this.#stuck === 0 && this.#isOpen) this.#ports.cutOff();
  }

  /** Whether that was the last one. */
  #lookBehind(): void {
    const source = this.#source;
    if (this.#left !== undefined || this.#clock === undefined || source === undefined) return;
    if (source.next !== undefined || source.end !== 'cut off') return;
    this.#left = MOST_BEHIND;
    this.#ports.behind(0);
    this.#limit(this.#left);
  }

  #limit(left: number): void {
    const clock = this.#clock;
    if (clock === undefined) return;
    this.#leftAt = clock.lists;
    clock.endAt(clock.lists + left, () => this.#ports.cutOff());
  }

  /** The program is about to be loaded. */
  evaluates(): void {
    this.#begin({ kind: 'evaluation' });
  }

  enters(entry: EntryEvent): void {
    if (entry === this.#entered) return;
    this.#entered = entry;
    this.#begin({ kind: 'entry', entry });
  }

  steps(): void {
    if (!this.#isOpen) this.#begin({ kind: 'jobs' });
  }

  onlooker(): Onlooker {
    return {
      given: (...given) => void (this.#given = given),
      begins: (turn, actor, call, sender) => {
        const [on, args, settles] = this.#given;
        this.#given = NOT_GIVEN;
        const kind = typeof call === 'object' && 'kind' in call ? call.kind : 'call';
        this.#begin({ kind, turn: { turn, actor, call, on, args, settles, sender } });
      },
      cut: (phase, isBare) => {
        this.close();
        this.#watcher.cut?.(phase, isBare);
      },
      take: (from) => this.#watcher.takesFrom?.(from),
    };
  }

  #begin(stretch: Begun): void {
    this.close();
    this.#isOpen = true;
    this.#lookBehind();
    if (this.#left !== undefined) this.#left -= BEGINNING + (this.#clock?.lists ?? 0) - this.#leftAt;
    // Who watches may set a stop in it.
    this.#clock?.restart();
    if (this.#left === undefined) return this.#watcher.begins(stretch);
    this.#behind++;
    // Of threads that go on and on it is no matter in which they are.
    if (this.#behind <= MOST_TOLD) this.#ports.behind(this.#behind);
    this.#limit(this.#behind === this.#stuck ? 0 : this.#left);
    this.#watcher.begins(stretch);
  }

  /** Nothing of what has begun runs any more. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#watcher.ends(this.#clock?.lists ?? 0);
  }
}
