// Controls one thread of a replay process (docs/engine.md): runs it as far as the coordinator allows, pauses it there, before
// a stretch or a statement and with whatever is on its stack, undoes stretches, and answers requests while it is paused.
//
// No thread waits for a paused one: every thread may run up to its first stretch after one position in the order of the
// survey, and that order has every stretch after those that sent what its thread had taken before. So the sender of whatever
// a thread waits for may run, or is a runtime on its way to the stretch where it pauses; and a paused thread has published
// what it sent, and keeps publishing what did not fit yet.
import { isMainThread, type MessagePort } from 'node:worker_threads';
import type { Loader } from '../thread/loader.ts';
import type { ProgramState } from '@turntable/program-state';
import type { StatementClock, StatementPosition, StatementWatch } from '@turntable/core';
import type { TraceEvent } from '@turntable/recording';
import { NOTED_HAPPENINGS, type HappeningKind } from '@turntable/time-machine/notes';
import type {
  FoundWrite,
  ProcessOptions,
  ThreadHit,
  ThreadName,
  ThreadRequestName,
  ThreadRequests,
  WriteRequest,
} from '@turntable/time-machine/replay-process';
import { interceptTape, own, type FollowingTape, type Halt, type Scheduler } from '@turntable/runtime';
import { SOURCES } from '@turntable/recording/sources';
import type { Begun } from './call-trail.ts';
import { ControlWords, type State, type Target } from './control-words.ts';
import { CoordinatorChannel, type Rest, type ThreadRequest } from './coordinator-channel.ts';
import { ThreadInspector } from './thread-inspector.ts';
import { BreakpointScanner } from './breakpoint-scanner.ts';
import { NotingHere } from './noting-here.ts';
import { UndoHistory, type Ended } from './undo-history.ts';
import { PromiseNotes } from './promise-notes.ts';
import { PauseLoop } from './pause-loop.ts';
import { StretchTraces } from './stretch-traces.ts';
import { rootsOf } from './thread-state.ts';
import { ValueWatch } from './value-watch.ts';
import { WriteTracker, type Back } from './write-tracker.ts';
import { Happenings } from '../replay/thread/happenings.ts';
import type { Begun as BegunStretch } from '../replay/thread/stretches.ts';
import type { ThreadWatch } from '../replay/thread/thread-watch.ts';

/** So many stretches before where it is to stand can be undone. */
const NEAR = 128;
/** In a process that notes writes: each is noted twice, and whoever asks further back asks another one. */
const NEAR_WRITES = 16;
/** Sources whose calls into the program are intercepted. */
const KEPT_ENTRIES: ReadonlySet<number> = new Set([SOURCES.timer, SOURCES.device, SOURCES.settled, SOURCES.promise]);

export interface ThreadControllerDeps {
  readonly thread: ThreadName;
  readonly memory: SharedArrayBuffer;
  /** To the coordinator. */
  readonly port: MessagePort;
  /** Among all threads that the recording has. */
  readonly index: number;
  /** What threads are to do on their way, once the program is about to be loaded. One that looks out for something is not stopped at statements. */
  wishes(): ProcessOptions;
  /** Whether it goes on from a snapshot. */
  isRestored(): boolean;
  tape(): FollowingTape;
}

export class ThreadController implements ThreadWatch {
  readonly #words: ControlWords;
  readonly #channel: CoordinatorChannel;
  readonly #pauseLoop: PauseLoop;
  readonly #tape: () => FollowingTape;
  readonly #worker: number;
  #scheduler: Scheduler | undefined;
  #loader: Loader | undefined;
  #clock: StatementClock | undefined;
  #state: ProgramState | undefined;
  #inspector: ThreadInspector | undefined;
  readonly #wishesThen: () => ProcessOptions;
  readonly #isRestored: () => boolean;
  #wishes: ProcessOptions = {};
  readonly #isMeant: (name: ThreadName | undefined) => boolean;
  #scanner: BreakpointScanner | undefined;
  #happenings: Happenings | undefined;
  #values: ValueWatch | undefined;
  #written: WriteTracker | undefined;
  #notingHere: NotingHere | undefined;
  /** Of the stretch whose writes are noted: where it is to stop. */
  #target: Target;
  #begun = 0;
  /** So often it had been told to go on when it was last asked something. */
  #asked = 0;
  readonly #traces = new StretchTraces();
  #promises: PromiseNotes | undefined;
  /** What it can go back to. */
  #past: UndoHistory | undefined;
  #isIntercepted = false;
  /** It is over in the midst of a stretch. */
  #isCutShort = false;
  /** The program is where it has been. */
  #isBack = false;
  /** At a statement there. */
  #standsAgain: Begun | undefined;
  /** In the midst of what stands; elsewhere it is heard from the event loop, with nothing of the program on the stack. */
  #isStanding = false;
  /** Of a process that goes on from a snapshot: it is what it was there. */
  #isThere = false;

  constructor({ thread, memory, port, index, wishes, isRestored, tape }: ThreadControllerDeps) {
    this.#words = new ControlWords(memory, index);
    this.#tape = tape;
    this.#worker = thread.worker;
    this.#wishesThen = wishes;
    this.#isRestored = isRestored;
    this.#isMeant = (name) => name?.worker === thread.worker && name.life === thread.life;
    this.#channel = new CoordinatorChannel(port, (request) => this.#hear(request));
    this.#pauseLoop = new PauseLoop({
      words: this.#words,
      channel: this.#channel,
      scheduler: () => this.#scheduler,
      keepCode: () => this.#loader?.keepCode() === true,
    });
  }

  starts(loader: Loader): void {
    this.#words.state = 'running';
    this.#wishes = this.#wishesThen();
    const wanted = this.#wishes.places?.flatMap(({ happens }) => happens ?? []) ?? NOTED_HAPPENINGS;
    this.#happenings = new Happenings(wanted, {
      // Who stands somewhere is not asked, and what is undone there is nobody's but the program's.
      isHeard: () => this.#scanner !== undefined || this.#traces.current !== undefined,
      tell: (kind, text) => this.#happens(kind, text),
    });
    this.#loader = loader;
    this.#clock = loader.statements;
    this.#happenings.starts(loader);
    this.#watch(loader);
    if (!isMainThread)
      process.on(
        'exit',
        own(() => (this.#words.state = 'gone')),
      );
    const { undoLog, statements } = loader;
    const { places, values, writes } = this.#wishes;
    const isLookedAt = places === undefined && values === undefined && writes === undefined;
    if ((isLookedAt || writes?.goesBack === true) && undoLog !== undefined && statements !== undefined) {
      this.#past = new UndoHistory(loader, undoLog, statements);
      loader.intercept(this.#past);
      interceptTape(this.#past, this.#tape());
      if (isLookedAt) this.#notingHere = new NotingHere(loader, this.#tape, this.#past, () => this.#begun);
      if (isLookedAt) void loader.state().then((state) => (this.#state = state));
    }
    // Whoever looks out for something is not asked.
    if (places === undefined && values === undefined) this.#promises = new PromiseNotes(() => this.#words.begun);
    this.#inspector = new ThreadInspector(loader, this.#worker, {
      tape: () => this.#tape(),
      scheduler: () => this.#scheduler,
      promises: this.#promises,
      past: this.#past,
      state: () => this.#state,
      // Nobody takes what another process has told of for what this one does.
      from: writes === undefined ? 0 : 10_000,
    });
  }

  #watch(loader: Loader): void {
    const { places, writes, values } = this.#wishes;
    const tell = (hits: readonly ThreadHit[]): void => {
      this.#words.tellsHits();
      this.#channel.send({ id: 0, hits });
    };
    const ports = { loader, tape: this.#tape, tell };
    if (places !== undefined) this.#scanner = new BreakpointScanner(places, ports);
    if (this.#isMeant(writes)) this.#written = new WriteTracker(loader, this.#tape, { ...writes });
    if (values !== undefined && this.#isMeant(values))
      this.#values = new ValueWatch(values, { ...ports, scheduler: () => this.#scheduler });
  }

  #tellHits(): void {
    this.#scanner?.tell();
    this.#values?.tell();
  }

  follows(scheduler: Scheduler): void {
    this.#scheduler = scheduler;
    // The program has called `start()` or `spawn()` for the first time: nothing of that is intercepted yet.
    this.#past?.cannot('the app was started');
    this.#promises?.follows(scheduler);
    this.#happenings?.follows(scheduler);
  }

  begins(stretch: BegunStretch): void {
    this.#isThere = true;
    const words = this.#words;
    const { turn } = stretch;
    const actor = turn?.actor;
    if (this.#begun === 0) this.#promises?.begins();
    this.#past?.end();
    this.#traces.current = undefined;
    this.#inspector?.comesBefore(turn);
    this.#written?.comesBefore(actor?.root);
    this.#values?.meets(actor);
    this.#values?.looks(this.#begun);
    if (this.#begun >= words.limit) this.#stand('standing', () => this.#begun < words.limit);
    this.#inspector?.begins();
    words.begun = ++this.#begun;
    if (this.#scanner !== undefined) {
      this.#scanner.begins();
      this.#clock?.watch(this.#see);
    } else {
      this.#keep(stretch);
      if (this.#written !== undefined) this.#notesStretch(this.#written);
      else if (words.notes === 'statements') this.#notes(words.goes);
      else if (this.#begun === words.limit) this.#aim();
    }
    this.#happenings?.begins(stretch.turn);
  }

  takes(event: TraceEvent): void {
    if (event.what !== 'outcome') this.#isThere = true;
    this.#happenings?.takes(event);
  }

  #happens(kind: HappeningKind, text: string): void {
    this.#scanner?.happens(kind, text, this.#at);
    this.#traces.current?.happens(kind, text);
  }

  /** What stretches change is noted of the last ones before where it is to stand. */
  #keep({ kind, entry }: BegunStretch): void {
    const past = this.#past;
    if (past === undefined) return;
    const near = this.#wishes.writes === undefined ? NEAR : NEAR_WRITES;
    const isNear = this.#words.limit - this.#begun < near && this.#words.notes !== 'statements';
    const isSuch = kind !== 'evaluation' && kind !== 'stop' && (entry === undefined || KEPT_ENTRIES.has(entry.source));
    if (!isNear || !isSuch) return past.beginUnkept();
    if (!this.#isIntercepted && this.#scheduler !== undefined) {
      this.#isIntercepted = true;
      this.#scheduler.intercept(past, past);
    }
    past.begin();
  }

  #notesStretch(written: WriteTracker): void {
    written.begins(this.#begun);
    this.#target = this.#begun === this.#words.limit ? this.#words.takeTarget() : undefined;
    this.#clock?.watch(this.#write);
  }

  readonly #write: StatementWatch = (file, statement, locals, list, within) => {
    this.#written?.sees(file, statement, locals, list, within, this.#target !== undefined);
    if (!isReached(this.#target, list, within)) return;
    this.#hit(file, statement, locals);
    // To take one writes to memory that threads share, which would be taken for the program's.
    this.#still(() => {
      this.#target = this.#begun === this.#words.limit && this.#isAhead ? this.#words.takeTarget() : undefined;
    });
  };

  /** All statements of the stretch that begins. */
  #notes(goes: number): void {
    if (this.#loader !== undefined) this.#traces.begin(this.#begun, goes, this.#loader.statementOf);
    this.#clock?.watch(this.#note);
  }

  readonly #see = (file: string, statement: number, locals: readonly unknown[]): void =>
    this.#scanner?.sees(file, statement, locals, this.#at);

  readonly #at = (): readonly [number, number, number] => {
    const { list, statement } = this.#clock?.position ?? { list: 0, statement: 0 };
    return [this.#begun, list, statement];
  };

  ends(): void {
    this.#past?.end();
    this.#happenings?.ends();
  }

  /** Of the stretch that runs, whose code is stopped or has not begun. */
  #aim(): void {
    const target = this.#words.takeTarget();
    if (target === undefined || this.#clock === undefined) return;
    if (target === 'next') this.#clock.stopNext(this.#hit);
    else this.#clock.stopAt(target, this.#hit);
  }

  readonly #note: StatementWatch = (file, statement, _, list, within) => {
    if (this.#traces.current?.add(file, statement, list, within) !== true) this.#clock?.watch(undefined);
  };

  readonly #hit = (file: string, statement: number, locals: readonly unknown[]): void =>
    this.#still(() => {
      const words = this.#words;
      const { goes } = words;
      this.#stopsAt(file, statement, locals, () => this.#stand('stopped', () => words.goes !== goes));
      // If it is to go back in its stretch, it does so behind its end.
      if (this.#begun === words.limit && this.#isAhead && this.#written === undefined) this.#aim();
    });

  /** Nothing of what runs is the program's. */
  #still(run: () => void): void {
    if (this.#past === undefined) run();
    else this.#past.still(run);
  }

  /** Of a target in the stretch that runs: whether it can go on to there. */
  get #isAhead(): boolean {
    const { target } = this.#words;
    const { position } = this.#clock ?? {};
    if (typeof target !== 'object' || position === undefined) return true;
    return target.list > position.list || (target.list === position.list && target.statement > position.statement);
  }

  #stopsAt(file: string, statement: number, locals: readonly unknown[], stand: () => void): void {
    const { list, statement: within } = this.#clock?.position ?? { list: 0, statement: 0 };
    this.#words.stopsAt(list, within);
    this.#inspector?.stopsAt({ file, statement, locals });
    stand();
    this.#inspector?.goesOn();
  }

  halts({ why, isBetween, error }: Pick<Halt, 'why' | 'isBetween' | 'error'>): void {
    this.#isCutShort = isBetween !== true;
    this.#happenings?.ends();
    this.#values?.looks(this.#begun);
    this.#tellHits();
    if (why === 'diverged') this.#channel.send({ id: 0, differs: error?.message ?? 'it does something else' });
    this.#words.endsFor(why);
    this.#channel.tell();
  }

  fails(error: string): void {
    this.#past?.cannot('nobody has caught an error');
    this.#happenings?.fails(error);
  }

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

  /** Unless it is stopped in a stretch, it goes back from there if it is to. */
  #stand(state: State, mayGoOn: () => boolean): void {
    const before = this.#isStanding;
    this.#isStanding = true;
    const isBetween = state !== 'stopped' && !(state === 'over' && this.#isCutShort);
    for (;;) {
      const isBack = (): boolean => isBetween && this.#isBackWanted;
      this.#standStill(state, () => mayGoOn() || isBack());
      if (!isBack()) break;
      this.#goBack();
    }
    this.#isStanding = before;
  }

  #standStill(state: State, mayGoOn: () => boolean): void {
    this.#tellHits();
    this.#pauseLoop.stand(state, mayGoOn);
    this.#past?.takeBack();
    const words = this.#words;
    if (state !== 'over' || this.#isBack) words.state = this.#isBack ? 'going' : 'running';
  }

  /** Between two stretches: whether it is to be where it has been. */
  get #isBackWanted(): boolean {
    const { limit, target, isReleased } = this.#words;
    if (isReleased || this.#scanner !== undefined) return false;
    return limit < this.#begun || (limit === this.#begun && target !== undefined);
  }

  /** Until it is wanted where it has really come to, or ahead. */
  #goBack(): void {
    const words = this.#words;
    const past = this.#past;
    this.#isBack = true;
    words.state = 'going';
    this.#written?.rests();
    past?.leaves();
    while (this.#isBackWanted) this.#goBackOnce(past);
    past?.returns();
    this.#written?.goesOn();
    words.begun = this.#begun;
    words.state = 'running';
    this.#isBack = false;
  }

  #goBackOnce(past: UndoHistory | undefined): void {
    const words = this.#words;
    const { goes, limit } = words;
    const target = words.takeTarget();
    const isThere = past?.goTo(this.#begun - (target === undefined ? limit : limit - 1)) === true;
    if (!isThere) return this.#standUntilTold('unable', goes);
    words.begun = limit;
    if (target === undefined) return this.#standUntilTold('standing', goes);
    // Where it has no such statement it is to stand behind it, by what the words say now.
    const again = (): Ended =>
      words.notes === 'writes' && this.#notingHere !== undefined
        ? this.#notingHere.again(limit, (written) => past.again(() => this.#noteAgain(written, target, limit, past)))
        : past.again(() => this.#aimAgain(target, limit, past));
    const ended = this.#promises === undefined ? again() : this.#promises.onceMore(again);
    if (ended !== 'another') return;
    words.endsFor('diverged');
    this.#standStill('over', () => words.isReleased);
  }

  #aimAgain(target: Target, limit: number, past: UndoHistory): void {
    if (target === undefined || this.#clock === undefined) return;
    const words = this.#words;
    const hit = (file: string, statement: number, locals: readonly unknown[]): void =>
      this.#still(() => {
        this.#standAgain(file, statement, locals, limit, past);
        this.#aimAgain(words.takeTarget(), limit, past);
      });
    if (target === 'next') this.#clock.stopNext(hit);
    else this.#clock.stopAt(target, hit);
  }

  /** The same, of a stretch of which it is noted what it writes. */
  #noteAgain(written: WriteTracker, first: Target, limit: number, past: UndoHistory): void {
    const words = this.#words;
    let target = first;
    this.#clock?.watch((file, statement, locals, list, within) => {
      written.sees(file, statement, locals, list, within, true);
      if (!isReached(target, list, within)) return;
      this.#still(() => {
        this.#standAgain(file, statement, locals, limit, past);
        target = words.takeTarget();
      });
    });
  }

  /** At a statement of what is run once more. It goes no further, unless it is to come to another one of the stretch. */
  #standAgain(file: string, statement: number, locals: readonly unknown[], limit: number, past: UndoHistory): void {
    const words = this.#words;
    const { goes, notes } = words;
    this.#standsAgain = { file, statement, locals };
    this.#stopsAt(file, statement, locals, () => this.#standUntilTold('stopped', goes));
    this.#standsAgain = undefined;
    const isFurther = words.limit === limit && !words.isReleased && words.target !== undefined && this.#isAhead;
    if (!isFurther || words.notes !== notes) past.giveUp();
  }

  /** @param goes so often it had been when it was told to go where it stands now */
  #standUntilTold(state: State, goes: number): void {
    this.#standStill(state, () => this.#words.goes !== goes);
  }

  #hear({ id, request, params }: ThreadRequest): void {
    // What was told of before it went on means nothing any more.
    if (this.#words.goes !== this.#asked) this.#inspector?.forget();
    this.#asked = this.#words.goes;
    if (request === 'rest') return this.#answerRest(id);
    try {
      const result = this.#resultOf(request, params);
      this.#channel.send({ id, result: result ?? null });
    } catch (error) {
      this.#channel.send({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #resultOf(request: ThreadRequestName, params: unknown): unknown {
    if (request === 'traced') return this.#traces.told();
    if (request === 'takeBack') return this.#past?.takeBack();
    if (request === 'canGoBack') return this.#past?.canGoBack === true;
    if (request === 'wrote') return this.#wrote(params as WriteRequest);
    if (request === 'evaluateAt') {
      const { text, ...at } = params as ThreadRequests['evaluateAt']['params'];
      const begun = this.#written?.begunAt(at);
      if (begun === undefined) throw new RangeError('no call has begun there');
      return this.#inspector?.evaluateWith(begun, text);
    }
    if (request === 'localsAt') {
      const begun = this.#written?.begunAt(params as StatementPosition);
      return begun === undefined ? [] : this.#inspector?.localsOf(begun);
    }
    return this.#inspector?.answer(request, params);
  }

  #wrote(wanted: WriteRequest): FoundWrite | undefined {
    const { of } = wanted;
    if (of === undefined && this.#written === undefined) return this.#notingHere?.answer(wanted);
    const [root] = (of && this.#loader && rootsOf(this.#loader, this.#scheduler, of.actor)) ?? [];
    if (of !== undefined && root?.[0] !== 'this') throw new TypeError(`${of.actor} does not live here`);
    const self = root?.[1] as object | undefined;
    if (!this.#isBack) return this.#written?.answer(wanted, self);
    return this.#written?.answerBack(wanted, this.#back, self);
  }

  /** Where it has gone back to. */
  get #back(): Back {
    const { limit, at } = this.#words;
    const begun = this.#standsAgain;
    if (begun === undefined) return { at: { stretch: limit + 1, list: 0, statement: 0 }, begun };
    return { at: { stretch: limit, ...at }, begun };
  }

  /** One that rests in its event loop can go back from there. */
  #answerRest(id: number): void {
    const rest = this.#rest();
    const isBack = !this.#isStanding && rest.isResting && this.#isBackWanted;
    this.#channel.send({ id, result: { ...rest, isResting: rest.isResting && !isBack } });
    if (!isBack) return;
    const { state } = this.#words;
    this.#stand('standing', () => !this.#isBackWanted);
    this.#words.state = state;
  }

  /** A macrotask of its own has been made of the question, so what was on the stack is done. */
  #rest(): Rest {
    this.#happenings?.ends();
    const tape = this.#tape();
    const { events } = tape.progress;
    const isOver = tape.halt !== undefined;
    const isEntryNext = tape.next?.what === 'entry';
    // What it was in the snapshot.
    this.#isThere ||= this.#scheduler === undefined ? !this.#isRestored() : !this.#scheduler.isHeld;
    const isResting = isOver || (this.#isThere && !isEntryNext && (this.#scheduler?.isStanding ?? true));
    // Nothing of its last stretch is left to run.
    if (isResting) this.#values?.looks(this.#begun);
    this.#tellHits();
    return { isResting, isThere: isOver || this.#isThere, progress: events + this.#begun };
  }
}

function isReached(target: Target, list: number, statement: number): boolean {
  if (target === undefined) return false;
  return target === 'next' || (list - target.list || statement - target.statement) >= 0;
}
