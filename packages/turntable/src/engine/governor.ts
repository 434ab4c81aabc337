// A thread of an engine (docs/engine.md): it goes on as far as the desk allows, and stands still there, before a stretch or before a statement of one, in the midst of
// whatever is on its stack; meanwhile it answers what is asked of it.
//
// Nobody waits for somebody who stands: all may go up to their first stretch behind one place in the order of the survey, which has every stretch behind those
// that have sent what its thread has taken before. So whatever one waits for is sent by a stretch that may run, or by a runtime on its way to the stretch where it
// stands; and whoever stands has published what it has sent, and goes on publishing what has not found room yet.
import { BroadcastChannel, isMainThread, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { Loader, StatementClock } from '@turntable/loader';
import type { Begun, BreakPlace, Question, ThreadName, TracedStretch } from '@turntable/replay';
import { own, type FollowingTape, type Halt, type Scheduler } from '@turntable/runtime';
import { channelOf, ControlWords } from './control-words.ts';
import { LookingOn } from './looking-on.ts';
import { Lookout } from './lookout.ts';
import { StretchTrace } from './stretch-trace.ts';
import type { ThreadWatch } from '../replay/watching.ts';

/** Milliseconds between two looks whether what was sent has found room. */
const LOOK = 2;

interface Asked {
  readonly id: number;
  readonly ask: Question | 'rest';
  readonly wanted: unknown;
}

/** Of what a thread that is not stopped says when it is asked whether it rests. */
export interface Rest {
  readonly isResting: boolean;
  /** Grows as long as anything happens. */
  readonly progress: number;
}

export interface GovernorParts {
  readonly thread: ThreadName;
  readonly memory: SharedArrayBuffer;
  /** Among all threads that the recording has. */
  readonly index: number;
  /** What it is to look out for. It is not stopped at statements then. */
  readonly places: readonly BreakPlace[] | undefined;
  tape(): FollowingTape;
}

export class Governor implements ThreadWatch {
  readonly #words: ControlWords;
  readonly #channel: BroadcastChannel;
  readonly #tape: () => FollowingTape;
  readonly #worker: number;
  #scheduler: Scheduler | undefined;
  #loader: Loader | undefined;
  #clock: StatementClock | undefined;
  #looking: LookingOn | undefined;
  readonly #places: readonly BreakPlace[] | undefined;
  #lookout: Lookout | undefined;
  #begun = 0;
  /** So often it had been told to go on when it was last asked something. */
  #asked = 0;
  #trace: StretchTrace | undefined;
  /** Since it was told for the so-manieth time how far it may go. */
  #tracedFor = 0;
  readonly #traced = new Map<number, StretchTrace>();

  constructor({ thread, memory, index, places, tape }: GovernorParts) {
    this.#words = new ControlWords(memory, index);
    this.#tape = tape;
    this.#worker = thread.worker;
    this.#places = places;
    this.#channel = new BroadcastChannel(channelOf(thread));
    this.#channel.addEventListener('message', (event) => this.#hear((event as MessageEvent).data as string));
    // Somebody who asks keeps no thread going.
    this.#channel.unref();
    this.#words.state = 'running';
  }

  starts(loader: Loader): void {
    this.#loader = loader;
    this.#clock = loader.statements;
    if (this.#places !== undefined) this.#lookOut(this.#places, loader);
    if (!isMainThread)
      process.on(
        'exit',
        own(() => (this.#words.state = 'gone')),
      );
    this.#looking = new LookingOn(
      loader,
      this.#worker,
      () => this.#tape(),
      () => this.#scheduler,
    );
  }

  #lookOut(places: readonly BreakPlace[], loader: Loader): void {
    const tell = (hits: readonly unknown[]): void => this.#answer({ id: 0, hits });
    this.#lookout = new Lookout(places, { loader, tape: this.#tape, tell });
  }

  follows(scheduler: Scheduler): void {
    this.#scheduler = scheduler;
  }

  begins(): void {
    const words = this.#words;
    if (this.#begun >= words.limit) this.#stand('standing', () => this.#begun < words.limit);
    words.begun = ++this.#begun;
    if (this.#lookout !== undefined) this.#clock?.stopNext(this.#see);
    else if (words.traces) this.#notes(words.goes);
    else if (this.#begun === words.limit) this.#aim();
  }

  /** All statements of the stretch that begins. */
  #notes(goes: number): void {
    if (this.#tracedFor !== goes) this.#traced.clear();
    this.#tracedFor = goes;
    this.#trace = new StretchTrace();
    this.#traced.set(this.#begun, this.#trace);
    this.#clock?.stopNext(this.#note);
  }

  readonly #see = (file: string, statement: number, locals: readonly unknown[]): void => {
    this.#lookout?.sees(file, statement, locals, this.#at);
    this.#clock?.stopNext(this.#see);
  };

  readonly #at = (): readonly [number, number, number] => {
    const { list, statement } = this.#clock?.position ?? { list: 0, statement: 0 };
    return [this.#begun, list, statement];
  };

  ends(): void {}

  /** Of the stretch that runs, whose code is stopped or has not begun. */
  #aim(): void {
    const target = this.#words.takeTarget();
    if (target === undefined || this.#clock === undefined) return;
    if (target === 'next') this.#clock.stopNext(this.#hit);
    else this.#clock.stopAt(target, this.#hit);
  }

  readonly #note = (file: string, statement: number): void => {
    const clock = this.#clock;
    if (clock?.position !== undefined && this.#trace?.add(file, statement, clock.position) === true)
      clock.stopNext(this.#note);
  };

  readonly #hit = (file: string, statement: number, locals: readonly unknown[]): void => {
    const words = this.#words;
    const { list, statement: within } = this.#clock?.position ?? { list: 0, statement: 0 };
    words.stopsAt(list, within);
    this.#looking?.stopsAt({ file, statement, locals });
    const { goes } = words;
    this.#stand('stopped', () => words.goes !== goes);
    this.#looking?.goesOn();
    if (this.#begun === words.limit) this.#aim();
  };

  halts({ why }: Pick<Halt, 'why'>): void {
    this.#lookout?.tell();
    this.#words.endsFor(why);
    this.#tell();
  }

  fails(): void {}

  leaves(): void {}

  /** Nothing of the thread goes on, in the midst of whatever it does: until the process is to end by itself. */
  rests(): void {
    const words = this.#words;
    if (words.state === 'over') this.#stand('over', () => words.isReleased);
  }

  /** Whether somebody looks on, and the process is not to end however long nothing happens. */
  get isWatched(): boolean {
    return !this.#words.isReleased;
  }

  #stand(state: 'standing' | 'stopped' | 'over', mayGoOn: () => boolean): void {
    const words = this.#words;
    const { neighbours } = this.#scheduler ?? {};
    neighbours?.publish();
    this.#lookout?.tell();
    words.state = state;
    let seen: number | undefined;
    for (;;) {
      const call = words.lastCall;
      this.#hearAll();
      if (mayGoOn()) break;
      if (seen !== call) {
        words.sees(call);
        seen = call;
        this.#tell();
      }
      words.wait(call, (neighbours?.spilled ?? 0) > 0 ? LOOK : undefined);
      neighbours?.taking.publishSpilled();
    }
    if (state !== 'over') words.state = 'running';
  }

  #hearAll(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#hear(next);
  }

  #next(): string | undefined {
    // Node takes both, its types one.
    const port = this.#channel as unknown as MessagePort;
    return (receiveMessageOnPort(port) as { readonly message: string } | undefined)?.message;
  }

  #hear(text: string): void {
    const { id, ask, wanted } = JSON.parse(text) as Asked;
    // What was told of before it went on means nothing any more.
    if (this.#words.goes !== this.#asked) this.#looking?.forget();
    this.#asked = this.#words.goes;
    if (ask === 'rest') return this.#answer({ id, answer: this.#rest() });
    try {
      const answer = ask === 'traced' ? this.#told() : this.#looking?.answer(ask, wanted);
      this.#answer({ id, answer: answer ?? null });
    } catch (error) {
      this.#answer({ id, failure: error instanceof Error ? error.message : String(error) });
    }
  }

  #told(): (TracedStretch & Begun)[] {
    const { statementOf } = this.#loader ?? {};
    if (statementOf === undefined) return [];
    return Array.from(this.#traced, ([begun, trace]) => ({ begun, ...trace.told(statementOf) }));
  }

  /** A macrotask of its own has been made of the question, so what was on the stack is done. */
  #rest(): Rest {
    this.#lookout?.tell();
    const tape = this.#tape();
    const { events } = tape.progress;
    const isOver = tape.halt !== undefined;
    const isEntryNext = tape.next?.what === 'entry';
    const isResting = isOver || (!isEntryNext && (this.#scheduler?.isStanding ?? true));
    return { isResting, progress: events + this.#begun };
  }

  #answer(answer: object): void {
    this.#channel.postMessage(JSON.stringify(answer));
  }

  /** The desk looks at what has changed. */
  #tell(): void {
    this.#answer({ id: 0 });
  }
}
