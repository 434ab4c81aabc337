// The stretches of a thread that runs again (docs/survey.md): where each begins, before any code of it, and where nothing of it runs any more. One who watches is told:
// who notes them, or who keeps the thread from going on. It changes nothing of the run, and says nothing to the program.
import type { StatementClock } from '@turntable/loader';
import type { EntryEvent, TraceEvent, TraceSource } from '@turntable/recording';
import type { StretchKind } from '@turntable/replay/notes';
import type { Onlooker } from '@turntable/runtime';

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

const NOT_GIVEN: Parameters<NonNullable<Onlooker['given']>> = [undefined, [], undefined];

export class Stretches {
  readonly #watcher: StretchWatcher;
  /** Of a program whose code has probes. */
  #clock: StatementClock | undefined;
  #isOpen = false;
  /** What a turn that is about to begin is about. */
  #given: Parameters<NonNullable<Onlooker['given']>> = NOT_GIVEN;
  /** The entry that was told of last: it is told of once more if it could not be performed. */
  #entered: TraceEvent | undefined;

  constructor(watcher: StretchWatcher) {
    this.#watcher = watcher;
  }

  /** Before the program. */
  countBy(clock: StatementClock | undefined): void {
    this.#clock = clock;
  }

  /** The same trace; what is taken of it is seen. */
  watch(source: TraceSource): TraceSource {
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
    // Who watches may set a stop in it.
    this.#clock?.restart();
    this.#watcher.begins(stretch);
  }

  /** Nothing of what has begun runs any more. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#watcher.ends(this.#clock?.lists ?? 0);
  }
}
