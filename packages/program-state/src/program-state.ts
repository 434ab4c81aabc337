// The state of a thread's program as bytes, taken at a job boundary, and a program that goes on from such bytes: module records, CommonJS
// cache, queues and what all of it leads to. Must be made before the program's first line, for what a program changes of the
// language's own objects is told from what was there before. Restoring evaluates nothing of the program.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { evaluateForHost, internals, ROOT_HOME, type Boundary } from '@turntable/core';
import type {
  Adapter,
  Capture,
  CodeAdapters,
  Differences,
  Heap,
  KnownObjects,
  Pieces,
  PiecesOptions,
  PlacedTimer,
  RestoredPieces,
  StateRoom,
} from '@turntable/heap';
import {
  followHostPromises,
  nativeExports,
  originOf,
  ownPackages,
  packageScope,
  recordedTexts,
} from '@turntable/loader';
import type { InputsState, TimerState } from '@turntable/boundary';
import type { Held, MembraneState } from '@turntable/boundary/membrane';
import { channelObjects } from './channel-objects.ts';
import { compareHead, refuseDifferences } from './compare.ts';
import { decodeState, encodeState, joined, stateEnd, stateStart, type ProgramHead } from './container.ts';
import { readDeviceBindings, writeDeviceBindings, type DeviceBindings } from './device-bindings.ts';
import { Relocation, type Elsewhere } from './elsewhere.ts';
import type { LeftBehind, RestoredHandles } from './handles.ts';
import { warnOf, warnOfSources, loseOutcomes } from './left-behind.ts';
import { LoadedPackages } from './loaded-packages.ts';
import { Operations } from './operations.ts';
import type { Birth } from './process-state.ts';
import { ProgramHeap, type Roots } from './program-heap.ts';
import { ProgramNames } from './program-names.ts';
import type { ProgramStateDeps } from './program-state-deps.ts';
import { describeRecords, expectRecords, RecordNumbers, restoreRecords, selectOf } from './records.ts';
import { rejectionHandlers } from './rejection-handlers.ts';

const { queueMicrotask: nativeQueueMicrotask, setImmediate: nativeSetImmediate } = globalThis;

export interface CaptureOptions {
  /** `dead`: what belongs to the host or to a device stays behind, and whoever uses it where the program goes on is told. */
  readonly handles?: 'refuse' | 'dead';
}

/** What a state in pieces has beside what others may compare. */
interface Aside {
  /** Of the base's timers, among those of all. */
  readonly places: readonly number[];
  readonly beyond: MembraneState | null;
  /** What was imported from there. */
  readonly imports: DeviceBindings | null;
}

export class ProgramState implements StateRoom {
  readonly #parts: ProgramStateDeps;
  readonly #names: ProgramNames;
  readonly #known: KnownObjects;
  readonly #heap: ProgramHeap;
  readonly #operations = new Operations();
  readonly #packages = new LoadedPackages();

  constructor(parts: ProgramStateDeps) {
    this.#parts = parts;
    const { realm, loaderRealm } = parts;
    const rejections = rejectionHandlers();
    const channels = channelObjects();
    this.#names = new ProgramNames(parts, { emitsRejections: rejections.emits, channels: channels.prototypes });
    this.#known = this.#names.known;
    realm.parts.eventuals.followSources();
    followHostPromises((fn, promise) => {
      if (this.#names.handles.isOutside(fn)) realm.parts.eventuals.follow(promise as never);
    });
    loaderRealm.timers.followTurns();
    this.#heap = new ProgramHeap(parts, this.#names, rejections, channels);
  }

  /** What a native module exports that the program may hold: written by name, and there again where the name is given again. */
  name(name: string, exports: object): void {
    this.#known.add(name, exports, 'ordinary');
  }

  /** Where what is restored from now on mentions is, and which texts it runs. */
  goElsewhere({ moves, texts }: Elsewhere): void {
    this.#names.relocation = new Relocation(moves);
    if (texts !== undefined) this.#parts.code.useRecorded(recordedTexts(texts));
  }

  /**
   * One of these states, or one like them, will be restored: what is the same for all of them is there then, code in the form that restores and Node's own
   * modules. Nothing of the program is made. It goes elsewhere before.
   */
  async expect(states: readonly Uint8Array[]): Promise<void> {
    const { code, program } = this.#parts;
    const heads = states.map((bytes) => this.#names.relocation.head(decodeState(bytes).head));
    for (const { key, filename, what } of heads.flatMap(({ records }) => records))
      if (what === 'device' && filename !== null) await program.own.expect(key, filename);
    for (const name of new Set(heads.flatMap(({ builtins }) => builtins))) if (QUIET.has(name)) nativeExports(name);
    expectRecords(
      this.#parts,
      heads.map((head) => ({ head, sources: compareHead(head, code).sources })),
    );
    code.keepTexts();
  }

  /** Calls `observer` at every job boundary: the only moments at which there can be a capture. */
  observe(observer: ((after: Boundary) => void) | undefined): void {
    this.#parts.realm.jobs.observe(observer);
  }

  /** Only at a job boundary. `inTick`: ticks go before jobs. */
  capture(inTick = false, { handles = 'refuse' }: CaptureOptions = {}): Uint8Array {
    const leaving = handles === 'dead';
    if (leaving) this.#names.giveDevices();
    return this.#looking(() => this.#capture(inTick, leaving));
  }

  #capture(inTick: boolean, leaving: boolean): Uint8Array {
    const now = this.#parts.loaderRealm.timers.clock();
    const pending = this.#parts.loaderRealm.timers.pending(now);
    const timeouts = this.#timeoutsThatHold(pending);
    const operations = leaving ? this.#operations.underWay(timeouts) : [];
    if (!leaving) this.#operations.refuse(timeouts);
    const numbers = new RecordNumbers(this.#parts);
    const handles = this.#names.handles.capture(leaving);
    const { heap, adapters } = this.#heap.pass(numbers, undefined, now, handles);
    const roots = this.#heap.roots(numbers, pending, true);
    const bytes = heap.write(roots);
    const { jobs, ticks, timers } = roots;
    const waiting = { jobs: jobs.length, ticks: ticks.length, timers: timers.length };
    const head = { ...this.#headAt(inTick), operations, records: describeRecords(this.#parts, numbers) };
    return encodeState({ ...selected(head, numbers, adapters), handles: handles.heads(), waiting }, bytes);
  }

  /** Only at a job boundary: writes at once what belongs to no actor alone. What belongs to the host stays behind. */
  begin({ adapters: more, isOfBase, give }: PiecesOptions): Pieces {
    // First: whether anything can be written or not, a run again does the same at a cut of which it writes nothing.
    this.pass();
    this.#names.giveLate();
    this.#names.giveDevices();
    // Whether that is all is seen while the program goes on.
    const differences = this.#known.last;
    const confirm = differences === undefined ? () => 'same' as const : this.#known.confirmation();
    return this.#looking(() => {
      const { timers } = this.#parts.loaderRealm;
      const now = timers.clock();
      const placed = timers.pending(now).map((timer, place): PlacedTimer => [place, timer]);
      // Node changes a timer before it calls its callback, which is the first that others hear of it.
      const states = new Map(placed.map(([, timer]) => [timer, timers.read(timer, now)]));
      const all = placed.map((timer) => [this.#homeOf(states.get(timer[1])?.context), timer] as const);
      const own = all.flatMap(([home, timer]) => (isOfBase(home) ? [timer] : []));
      const numbers = new RecordNumbers(this.#parts);
      const { eventuals } = this.#parts.realm.parts;
      const followed = eventuals.followed().map((each) => [eventuals.homeOf(each) ?? ROOT_HOME, each] as const);
      const pass = this.#names.handles.capture(true);
      const { heap, adapters } = this.#heap.pass(numbers, undefined, now, pass, { more, states });
      const roots = this.#heap.roots(
        numbers,
        own.map(([, timer]) => timer),
        true,
        followed.flatMap(([home, eventual]) => (isOfBase(home) ? [eventual] : [])),
      );
      let isGiven = false;
      const giving = (bytes: Uint8Array<ArrayBuffer>): void => {
        if (!isGiven) give?.(stateStart());
        isGiven = true;
        give?.(bytes);
      };
      const capture = heap.capture(roots, { isApart: true, ...(give && { give: giving }) });
      capture.run();
      const { around } = this.#parts.loaderRealm.inputs ?? {};
      const beyond = this.#parts.loaderRealm.inputs?.readBeyond(isOfBase);
      const aside: Aside = {
        places: own.map(([place]) => place),
        beyond: beyond?.state ?? null,
        imports: around === undefined ? null : readDeviceBindings(this.#parts.program, numbers.list, around.loaded),
      };
      // Others may have what the outside has of modules: it is written before them, once.
      capture.addToFirst(aside, 'aside');
      const { jobs, ticks } = roots;
      const waiting = { jobs: jobs.length, ticks: ticks.length, timers: placed.length };
      // As it is now: records may be added and evaluated while pieces are.
      const head = { ...this.#headAt(false), waiting, operations: [], records: describeRecords(this.#parts, numbers) };
      return {
        timers: all.filter(([home]) => !isOfBase(home)),
        waiting: followed.filter(([home]) => !isOfBase(home)),
        held: beyond?.others ?? [],
        get size() {
          return capture.size;
        },
        add: (root, name, group) => this.#known.undisturbed(() => capture.add(root, name, group), this.#known.last),
        confirm,
        finish: () => {
          const bytes = capture.finish();
          describeRecords(this.#parts, numbers, head.records);
          const end = stateEnd({ ...selected(head, numbers, adapters), handles: pass.heads() });
          return isGiven ? joined(bytes, end) : joined(stateStart(), bytes, end);
        },
      };
    }, differences);
  }

  pass(): void {
    this.#parts.loaderRealm.inputs?.forgetBeyond();
  }

  #homeOf(context: object | undefined): object {
    const { contexts } = this.#parts.loaderRealm;
    return (context === undefined ? undefined : contexts.homeOf(context)) ?? ROOT_HOME;
  }

  /**
   * Writes what a base would hold and forgets it, about `budget` objects at a time: V8 compiles each function when it is first asked
   * for what it captured, which takes ten times as long as all else, and a cut is not to wait for that. To be called between jobs until
   * it answers true.
   */
  rehearsal({ adapters: more }: Pick<PiecesOptions, 'adapters'>): (budget: number) => boolean {
    let capture: Capture | undefined;
    const begin = (): Capture => {
      const numbers = new RecordNumbers(this.#parts);
      const { heap } = this.#heap.pass(numbers, undefined, undefined, this.#names.handles.capture(true), { more });
      return heap.capture(this.#heap.roots(numbers, [], false, []));
    };
    const step = (budget: number): boolean => {
      try {
        capture ??= begin();
        return capture.run(budget);
      } catch {
        // What cannot be captured will be told by a cut; what has changed meanwhile does not matter.
        return true;
      }
    };
    return (budget) => {
      this.#names.giveDevices();
      return this.#looking(() => step(budget), this.#known.last);
    };
  }

  /** Looks at the state while the builtins are what they were before the program. `differences`: how they differ, if that is known. */
  #looking<R>(look: () => R, differences?: Differences): R {
    this.#names.giveLate();
    this.#names.process.look();
    return this.#known.undisturbed(look, differences);
  }

  /** Equal for equal states, whatever the time that timers have still to wait. */
  hash({ handles = 'refuse' }: CaptureOptions = {}): string {
    const leaving = handles === 'dead';
    if (leaving) this.#names.giveDevices();
    return this.#looking(() => {
      const numbers = new RecordNumbers(this.#parts);
      const { timers } = this.#parts.loaderRealm;
      const pending = timers.byNumber(timers.pending());
      const pass = this.#heap.pass(numbers, undefined, undefined, this.#names.handles.capture(leaving));
      return pass.heap.hash(this.#heap.roots(numbers, pending, false));
    });
  }

  /**
   * Of the program, and of what some values lead to besides: equal where the program is the same, whatever its host has come to. So a timer is who it is, not how far it has come.
   */
  digest(values: readonly unknown[], adapters: readonly Adapter[]): string {
    this.#names.giveDevices();
    return this.#looking(() => {
      const { timers } = this.#parts.loaderRealm;
      const states = { get: (timer: object) => ({ ...NO_TIMER, ...whichTimer(timers.read(timer)) }) };
      const numbers = new RecordNumbers(this.#parts);
      const handles = this.#names.handles.capture(true);
      const { heap } = this.#heap.pass(numbers, undefined, undefined, handles, { more: adapters, states });
      const { records, cache, jobs, ticks, rejections } = this.#heap.roots(numbers, [], false, []);
      return heap.hash([{ records, cache, jobs, ticks, rejections }, values]);
    });
  }

  get birth(): Birth {
    return this.#names.process.birth;
  }

  /**
   * The program of the bytes, in a process in which none has been loaded. It goes on when the answer is called, and that answers at the
   * end of the entry point, if it is an ES module, with its failure.
   */
  async restore(bytes: Uint8Array): Promise<() => Promise<void>> {
    const { head: captured, heap: heapBytes } = decodeState(bytes);
    const { head, heap, handles, finish } = await this.#restoring(captured, []);
    const roots = heap.read(heapBytes) as Roots;
    const left = this.#findLeft(handles, heap, roots);
    await this.#reportAgain(roots.handledLate);
    finish();
    return () => this.#resume(roots, head, left, roots.timers);
  }

  /** The same of a state that was written in pieces; `adapters` as those it was written with. */
  async restorePieces(bytes: Uint8Array, adapters: readonly Adapter[]): Promise<RestoredPieces> {
    const { head: captured, heap: heapBytes } = decodeState(bytes);
    const { head, heap, handles, finish } = await this.#restoring(captured, adapters);
    const [base, { places, beyond, imports }, ...roots] = heap.readAll(heapBytes) as [Roots, Aside, ...unknown[]];
    const left = this.#findLeft(handles, heap, base, roots);
    await this.#reportAgain(base.handledLate);
    finish();
    return {
      roots,
      goOn: ({ timers, waiting, held }, begun) => {
        const own = base.timers.map((timer, i): PlacedTimer => [places[i] as number, timer]);
        const placed = [...own, ...timers].toSorted(([a], [b]) => a - b);
        const all = placed.map(([, timer]) => timer);
        const { inputs } = this.#parts.loaderRealm;
        const settled =
          beyond === null
            ? undefined
            : inputs?.writeBeyond(beyond, held as readonly (readonly [home: object, held: Held])[]);
        const { around } = inputs ?? {};
        if (imports !== null && around?.isReplay === true) writeDeviceBindings(imports, base.records, around.loaded);
        if (beyond !== null && beyond.sources.length > 0 && around?.isReplay !== true) warnOfSources(head.devices);
        const lost = [...base.waiting, ...waiting].filter((each) => settled?.has(each) !== true);
        return this.#resume({ ...base, waiting: lost }, head, left, all, begun);
      },
      rejoin: (timers, waiting) => {
        for (const [, timer] of timers.toSorted(([a], [b]) => a - b)) this.#parts.loaderRealm.timers.arm(timer);
        loseOutcomes(this.#parts.realm, waiting);
      },
    };
  }

  async #restoring(
    captured: ProgramHead,
    more: readonly Adapter[],
  ): Promise<{ head: ProgramHead; heap: Heap; handles: RestoredHandles; finish(): void }> {
    const { program, code } = this.#parts;
    const head = this.#names.relocation.head(captured);
    const { differences, sources } = compareHead(head, code);
    const refusal = refuseDifferences(differences, false);
    if (refusal !== undefined) throw refusal;
    // The directory is the process's: the main thread sees to it.
    if (isMainThread && process.cwd() !== head.cwd) process.chdir(head.cwd);
    program.entry.restore(head.main ?? undefined);
    for (const file of head.nativeFiles) program.verdicts.addNative(file);
    if (head.network) this.#names.giveLazy();
    for (const name of head.builtins) program.builtins.meet(name);
    if (head.outside) this.#parts.outside.restoreReached();
    const restored = await restoreRecords(this.#parts, head, sources);
    const finishes = restored.records.flatMap((record, i) => {
      const kind = head.records[i]?.namespace ?? null;
      return kind === null ? [] : [program.esm.restoreNamespace(record, kind)];
    });
    restored.records.forEach((record, i) => head.records[i]?.meta === true && record.meta);
    const numbers = new RecordNumbers(this.#parts);
    this.#names.giveLate();
    this.#parts.devices.expect(this.#known, head.devices);
    const handles = this.#names.handles.restore(head.handles);
    const { heap } = this.#heap.pass(numbers, restored, undefined, handles, { more });
    return { head, heap, handles, finish: () => finishes.forEach((finish) => finish()) };
  }

  /** What stayed behind gets its places, from what the program calls something, if it does. */
  #findLeft(handles: RestoredHandles, heap: Heap, base: Roots, pieces: unknown[] = []): readonly LeftBehind[] {
    const all = { ...base, pieces };
    const named = { ...all, devices: [], waiting: [] };
    const pathsTo = (objects: readonly object[]): (string | undefined)[] => {
      const paths = heap.pathsTo(named, objects);
      return paths.includes(undefined) ? heap.pathsTo(all, objects).map((path, i) => paths[i] ?? path) : paths;
    };
    // From here it is known what the program has changed.
    return this.#known.undisturbed(() => handles.finish(pathsTo));
  }

  /** What Node has told the program of, or is about to: a round of its loop later it knows. */
  async #reportAgain(handledLate: readonly object[]): Promise<void> {
    for (const eventual of handledLate) this.#parts.realm.parts.host.reportedBefore?.(eventual);
    await new Promise<void>((resolve) => nativeSetImmediate(resolve));
  }

  async #resume(
    roots: Roots,
    head: ProgramHead,
    left: readonly LeftBehind[],
    timers: readonly object[],
    begun?: () => void,
  ): Promise<void> {
    warnOf(left, head.devices, head.operations);
    await this.#goOn(roots, head.inTick, timers);
    begun?.();
    const { program } = this.#parts;
    const main = head.main === null ? undefined : program.graph.records.get(head.main);
    if (main === undefined || originOf(main)?.what !== 'module') return;
    // Of one that has been evaluated nobody may have asked for the end: then its state has none, and is to have none.
    if (main.status !== 'evaluated' || main.failure !== undefined) await evaluateForHost(main);
  }

  /** Where the inputs stand. A process that goes on as another one becomes that, and this is none of the program's doing. */
  #goOnWith(state: InputsState | null | undefined): void {
    const { inputs } = this.#parts.loaderRealm;
    if (inputs === undefined || state === null || state === undefined) return;
    inputs.write(state);
    if (inputs.goesOn) this.#names.process.bornAgain();
  }

  async #goOn(roots: Roots, inTick: boolean, timers: readonly object[]): Promise<void> {
    const { program, realm, loaderRealm } = this.#parts;
    const { cache } = program.commonJs;
    for (const name of Object.keys(cache)) Reflect.deleteProperty(cache, name);
    for (let i = 0; i < roots.cache.length; i += 2) cache[String(roots.cache[i])] = roots.cache[i + 1] as never;
    if (roots.main !== undefined) process.mainModule = roots.main as NodeModule;
    this.#goOnWith(roots.inputs);
    this.#known.undisturbed(() => {
      this.#names.process.write(roots.process);
      this.#names.bindings.write(roots.bindings);
    }, this.#known.last);
    if (roots.devices.length > 0) await this.#parts.devices.makeAgain(roots.devices, this.#heap.deviceMembers);
    const queue = (): void => {
      // What was asked to bring it back is none of the program's doing.
      this.#parts.loaderRealm.inputs?.around.membrane.forget();
      internals.writeQueues(realm, {
        jobs: roots.jobs.map(([target, kind, value]) => ({ target, kind, value })),
        ticks: roots.ticks,
        rejections: roots.rejections,
        handledLate: roots.handledLate,
      } as never);
      realm.jobs.anchor();
      loseOutcomes(realm, roots.waiting);
    };
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        for (const timer of timers) loaderRealm.timers.arm(timer);
        // From here ticks go first; jobs do when they are queued from a microtask.
        if (inTick) queue();
        else nativeQueueMicrotask(queue);
        resolve();
      };
      if (timers.length > 0) loaderRealm.timers.resume(goOn);
      else if (inTick) process.nextTick(goOn);
      else goOn();
    });
  }

  /** How many timeouts of the program keep the process alive. */
  #timeoutsThatHold(pending: readonly object[]): number {
    const { timers } = this.#parts.loaderRealm;
    const states = pending.map((timer) => timers.read(timer));
    return states.filter(({ kind, refed }) => kind === 'timeout' && refed === true).length;
  }

  #headAt(inTick: boolean): Omit<ProgramHead, 'waiting' | 'records' | 'handles' | 'operations'> {
    const { program, code, loaderRealm, outside } = this.#parts;
    return {
      transform: code.transformer.version,
      node: process.version,
      main: program.entry.url ?? null,
      cwd: process.cwd(),
      root: rootHere(program.entry.url),
      own: ownPackages(),
      asyncOrder: program.graph.asyncOrder,
      inTick,
      builtins: [...program.builtins.names],
      nativeFiles: [...program.verdicts.nativeFiles],
      network: loaderRealm.lazyGlobals.isTouched,
      outside: outside.isReached,
      packages: this.#packages.of(program.verdicts.nativeFiles),
      devices: this.#parts.devices.read(this.#known).heads,
    };
  }
}

function selected<H extends Pick<ProgramHead, 'records'>>(head: H, numbers: RecordNumbers, adapters: CodeAdapters): H {
  return { ...head, records: selectOf(head.records, numbers, adapters.selection()) };
}

/** Of Node's modules those that take long to load, of which nobody can tell whether they are. */
const QUIET: ReadonlySet<string> = new Set(
  'crypto dns events fs http http2 https net stream tls url util zlib'.split(' ').map((name) => `node:${name}`),
);

/** What is said of one whose course is the host's. */
const NO_TIMER: Omit<TimerState, 'kind' | 'number'> = {
  callback: undefined,
  args: undefined,
  delay: undefined,
  repeat: null,
  refed: null,
  destroyed: false,
  pending: false,
  remaining: undefined,
  context: undefined,
  id: undefined,
};

function whichTimer({ kind, number }: TimerState): Pick<TimerState, 'kind' | 'number'> {
  return { kind, number };
}

/** Of the package that the entry point belongs to, or its own. */
function rootHere(main: string | undefined): string | null {
  if (main?.startsWith('file:') !== true) return null;
  const file = fileURLToPath(main);
  return packageScope(file)?.directory ?? dirname(file);
}
