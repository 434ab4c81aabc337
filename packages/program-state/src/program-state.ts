// The state of a thread's program as bytes, captured at a job boundary, and the restore from such bytes: module
// records, CommonJS cache, queues and everything reachable. Must be created before the program starts, since changes of
// builtins are found by comparison. A restore evaluates no code of the program.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { evaluateForHost, internals, ROOT_HOME, type JobBoundary } from '@turntable/core';
import type {
  ObjectAdapter,
  Capture,
  CodeAdapters,
  KnownObjectChanges,
  Heap,
  KnownObjects,
  IncrementalCapture,
  IncrementalCaptureOptions,
  OrderedTimer,
  RestoredState,
  StateCapturer,
} from '@turntable/heap';
import {
  setOnHostPromise,
  nativeExports,
  originOf,
  ownPackages,
  packageScope,
  createRecordedSources,
} from '@turntable/loader';
import type { InputsState, TimerState } from '@turntable/boundary';
import type { HostReferences, MembraneState } from '@turntable/boundary/membrane';
import { createChannelAdapter } from './channel-adapter.ts';
import { compareHead, differencesError } from './head-comparison.ts';
import { decodeState, encodeState, concatenate, stateEnd, stateStart, type ProgramHead } from './state-container.ts';
import { readDeviceBindings, writeDeviceBindings, type DeviceBindings } from './device-bindings.ts';
import { Relocation, type RelocationPlan } from './relocation.ts';
import type { AbandonedHandle, RestoredHandles } from './handle-capturer.ts';
import { warnAboutAbandoned, warnAboutDataSources, rejectLostEventuals } from './abandoned-resources.ts';
import { LoadedPackages } from './loaded-packages.ts';
import { PendingOperations } from './pending-operations.ts';
import type { ProcessLaunch } from './process-state.ts';
import { ProgramHeap, type ProgramRoots } from './program-heap.ts';
import { ProgramNames } from './program-names.ts';
import type { ProgramStateDeps } from './program-state-deps.ts';
import { describeRecords, prepareRecords, RecordNumbers, restoreRecords, applySelections } from './records.ts';
import { createRejectionHandlerAdapter } from './rejection-handler-adapter.ts';

const { queueMicrotask: nativeQueueMicrotask, setImmediate: nativeSetImmediate } = globalThis;

export interface CaptureOptions {
  /** `dead`: handles are left behind, and their use after a restore is an error. */
  readonly handles?: 'refuse' | 'dead';
}

/** The second root of a state that is written in pieces. Comparisons of states leave it out. */
interface CaptureSupplement {
  /** The positions of the base's timers among all timers. */
  readonly timerOrder: readonly number[];
  readonly membrane: MembraneState | null;
  /** Imports from devices. */
  readonly deviceBindings: DeviceBindings | null;
}

export class ProgramState implements StateCapturer {
  readonly #deps: ProgramStateDeps;
  readonly #names: ProgramNames;
  readonly #known: KnownObjects;
  readonly #heap: ProgramHeap;
  readonly #pendingOperations = new PendingOperations();
  readonly #loadedPackages = new LoadedPackages();

  constructor(deps: ProgramStateDeps) {
    this.#deps = deps;
    const { realm, loaderRealm } = deps;
    const rejections = createRejectionHandlerAdapter();
    const channels = createChannelAdapter();
    this.#names = new ProgramNames(deps, {
      emitRejection: rejections.emitRejection,
      channelPrototypes: channels.prototypes,
    });
    this.#known = this.#names.known;
    realm.parts.eventuals.trackNativeSources();
    setOnHostPromise((fn, promise) => {
      if (this.#names.handleCapturer.startsHostOperation(fn)) realm.parts.eventuals.track(promise as never);
    });
    loaderRealm.timers.trackTurns();
    this.#heap = new ProgramHeap(deps, this.#names, rejections, channels);
  }

  /** Names the exports of a native module: states refer to them by name, and a restore needs the same names. */
  nameExports(name: string, exports: object): void {
    this.#known.add(name, exports, 'ordinary');
  }

  /** Sets the locations and sources of the next restore. */
  relocate({ moves, sources }: RelocationPlan): void {
    this.#names.relocation = new Relocation(moves);
    if (sources !== undefined) this.#deps.code.useRecordedSources(createRecordedSources(sources));
  }

  /**
   * Prepares for a restore of one of these states, or of a similar state: loads their code in the form that a restore
   * needs, and Node's modules. Creates nothing of the program. `relocate` must be called first.
   */
  async prepareFor(stateBytes: readonly Uint8Array[]): Promise<void> {
    const { code, program } = this.#deps;
    const headsOfStates = stateBytes.map((bytes) => this.#names.relocation.relocateHead(decodeState(bytes).head));
    for (const { key, filename, originKind } of headsOfStates.flatMap(({ records }) => records))
      if (originKind === 'device' && filename !== null) await program.ownModules.preload(key, filename);
    for (const name of new Set(headsOfStates.flatMap(({ builtins }) => builtins)))
      if (PRELOADED_BUILTINS.has(name)) nativeExports(name);
    prepareRecords(
      this.#deps,
      headsOfStates.map((head) => ({ head, sources: compareHead(head, code).sources })),
    );
    code.writeSourcesToCache();
  }

  /** Calls `observer` at every job boundary, the only time at which a state can be captured. */
  observeBoundaries(observer: ((after: JobBoundary) => void) | undefined): void {
    this.#deps.realm.jobs.observeBoundaries(observer);
  }

  /** Captures the program. Must be called at a job boundary. @param inTick whether ticks run before jobs */
  capture(inTick = false, { handles = 'refuse' }: CaptureOptions = {}): Uint8Array {
    const leavesHandles = handles === 'dead';
    if (leavesHandles) this.#names.nameDeviceExports();
    return this.#withOriginalBuiltins(() => this.#capture(inTick, leavesHandles));
  }

  #capture(inTick: boolean, leavesHandles: boolean): Uint8Array {
    const captureTime = this.#deps.loaderRealm.timers.now();
    const pending = this.#deps.loaderRealm.timers.pending(captureTime);
    const timeouts = this.#countKeepAliveTimeouts(pending);
    const operations = leavesHandles ? this.#pendingOperations.listFinite(timeouts) : [];
    if (!leavesHandles) this.#pendingOperations.requireNone(timeouts);
    const recordNumbers = new RecordNumbers(this.#deps);
    const handles = this.#names.handleCapturer.capture(leavesHandles);
    const { heap, adapters } = this.#heap.createPass(recordNumbers, undefined, captureTime, handles);
    const roots = this.#heap.collectRoots(recordNumbers, pending, true);
    const bytes = heap.write(roots);
    const { jobs, ticks, timers } = roots;
    const pendingWork = { jobs: jobs.length, ticks: ticks.length, timers: timers.length };
    const head = {
      ...this.#createHead(inTick),
      pendingOperations: operations,
      records: describeRecords(this.#deps, recordNumbers),
    };
    return encodeState(
      { ...withSelections(head, recordNumbers, adapters), handles: handles.heads(), pendingWork },
      bytes,
    );
  }

  /** Writes the state that belongs to no single actor at once, at a job boundary. Handles are left behind. */
  startCapture({
    adapters: extraAdapters,
    isInBase: isOfBase,
    onBytes,
  }: IncrementalCaptureOptions): IncrementalCapture {
    // Called first, because a replay calls it alone at a cut whose state is not written.
    this.skipCapture();
    this.#names.nameLateObjects();
    this.#names.nameDeviceExports();
    // Whether these are all changes is verified while the program runs.
    const differences = this.#known.lastChanges;
    const confirm = differences === undefined ? () => 'same' as const : this.#known.confirmation();
    return this.#withOriginalBuiltins(() => {
      const { timers } = this.#deps.loaderRealm;
      const captureTime = timers.now();
      const orderedTimers = timers.pending(captureTime).map((timer, position): OrderedTimer => [position, timer]);
      // Read now, because Node changes a timer before it calls the callback, without notice.
      const timerStates = new Map(orderedTimers.map(([, timer]) => [timer, timers.read(timer, captureTime)]));
      const timersWithHomes = orderedTimers.map(
        (timer) => [this.#homeOf(timerStates.get(timer[1])?.context), timer] as const,
      );
      const baseTimers = timersWithHomes.flatMap(([home, timer]) => (isOfBase(home) ? [timer] : []));
      const recordNumbers = new RecordNumbers(this.#deps);
      const { eventuals } = this.#deps.realm.parts;
      const tracked = eventuals.trackedEventuals().map((each) => [eventuals.homeOf(each) ?? ROOT_HOME, each] as const);
      const handlePass = this.#names.handleCapturer.capture(true);
      const { heap, adapters } = this.#heap.createPass(recordNumbers, undefined, captureTime, handlePass, {
        more: extraAdapters,
        states: timerStates,
      });
      const roots = this.#heap.collectRoots(
        recordNumbers,
        baseTimers.map(([, timer]) => timer),
        true,
        tracked.flatMap(([home, eventual]) => (isOfBase(home) ? [eventual] : [])),
      );
      let hasStarted = false;
      const emitBytes = (bytes: Uint8Array<ArrayBuffer>): void => {
        if (!hasStarted) onBytes?.(stateStart());
        hasStarted = true;
        onBytes?.(bytes);
      };
      const capture = heap.capture(roots, { isDisjoint: true, ...(onBytes && { onBytes: emitBytes }) });
      capture.run();
      const { membraneSetup } = this.#deps.loaderRealm.inputs ?? {};
      const membraneCapture = this.#deps.loaderRealm.inputs?.captureMembrane(isOfBase);
      const supplement: CaptureSupplement = {
        timerOrder: baseTimers.map(([position]) => position),
        membrane: membraneCapture?.state ?? null,
        deviceBindings:
          membraneSetup === undefined
            ? null
            : readDeviceBindings(this.#deps.program, recordNumbers.records, membraneSetup.deviceExports),
      };
      // Other pieces may refer to module objects that the host holds, so the supplement is written first, once.
      capture.addToFirst(supplement, 'supplement');
      const { jobs, ticks } = roots;
      const pendingWork = { jobs: jobs.length, ticks: ticks.length, timers: orderedTimers.length };
      // Created late: records may be added and evaluated while pieces are written.
      const head = {
        ...this.#createHead(false),
        pendingWork,
        pendingOperations: [],
        records: describeRecords(this.#deps, recordNumbers),
      };
      return {
        timers: timersWithHomes.filter(([home]) => !isOfBase(home)),
        pendingEventuals: tracked.filter(([home]) => !isOfBase(home)),
        hostObjects: membraneCapture?.others ?? [],
        get size() {
          return capture.size;
        },
        add: (root, name, group) =>
          this.#known.withOriginalBuiltins(() => capture.add(root, name, group), this.#known.lastChanges),
        confirm,
        finish: () => {
          const bytes = capture.finish();
          describeRecords(this.#deps, recordNumbers, head.records);
          const end = stateEnd({ ...withSelections(head, recordNumbers, adapters), handles: handlePass.heads() });
          return hasStarted ? concatenate(bytes, end) : concatenate(stateStart(), bytes, end);
        },
      };
    }, differences);
  }

  skipCapture(): void {
    this.#deps.loaderRealm.inputs?.forgetPredictions();
  }

  #homeOf(context: object | undefined): object {
    const { contexts } = this.#deps.loaderRealm;
    return (context === undefined ? undefined : contexts.homeOf(context)) ?? ROOT_HOME;
  }

  /**
   * Returns a function that writes the contents of a base and discards them, about `budget` objects at a time. V8
   * compiles each function when its captured variables are first read, which takes ten times longer than the rest, and
   * a cut must not wait for that. Must be called between jobs until it returns true.
   */
  startRehearsal({
    adapters: extraAdapters,
  }: Pick<IncrementalCaptureOptions, 'adapters'>): (budget: number) => boolean {
    let capture: Capture | undefined;
    const start = (): Capture => {
      const recordNumbers = new RecordNumbers(this.#deps);
      const { heap } = this.#heap.createPass(
        recordNumbers,
        undefined,
        undefined,
        this.#names.handleCapturer.capture(true),
        { more: extraAdapters },
      );
      return heap.capture(this.#heap.collectRoots(recordNumbers, [], false, []));
    };
    const step = (budget: number): boolean => {
      try {
        capture ??= start();
        return capture.run(budget);
      } catch {
        // A cut will report what cannot be captured; changes during the rehearsal do not matter.
        return true;
      }
    };
    return (budget) => {
      this.#names.nameDeviceExports();
      return this.#withOriginalBuiltins(() => step(budget), this.#known.lastChanges);
    };
  }

  /**
   * Runs `look` while builtins have their original values.
   * @param differences changes of builtins, if they are known
   */
  #withOriginalBuiltins<R>(look: () => R, differences?: KnownObjectChanges): R {
    this.#names.nameLateObjects();
    this.#names.processState.noteFormatter();
    return this.#known.withOriginalBuiltins(look, differences);
  }

  /** A hash that is equal for equal states, whatever the remaining times of timers. */
  hash({ handles = 'refuse' }: CaptureOptions = {}): string {
    const leavesHandles = handles === 'dead';
    if (leavesHandles) this.#names.nameDeviceExports();
    return this.#withOriginalBuiltins(() => {
      const recordNumbers = new RecordNumbers(this.#deps);
      const { timers } = this.#deps.loaderRealm;
      const pending = timers.sortByNumber(timers.pending());
      const heapPass = this.#heap.createPass(
        recordNumbers,
        undefined,
        undefined,
        this.#names.handleCapturer.capture(leavesHandles),
      );
      return heapPass.heap.hash(this.#heap.collectRoots(recordNumbers, pending, false));
    });
  }

  /**
   * A digest of the program and of the given values, independent of the host: timers count by identity, not by time.
   */
  digest(values: readonly unknown[], adapters: readonly ObjectAdapter[]): string {
    this.#names.nameDeviceExports();
    return this.#withOriginalBuiltins(() => {
      const { timers } = this.#deps.loaderRealm;
      const timerStates = { get: (timer: object) => ({ ...BLANK_TIMER_STATE, ...timerIdentity(timers.read(timer)) }) };
      const recordNumbers = new RecordNumbers(this.#deps);
      const handles = this.#names.handleCapturer.capture(true);
      const { heap } = this.#heap.createPass(recordNumbers, undefined, undefined, handles, {
        more: adapters,
        states: timerStates,
      });
      const { records, cache, jobs, ticks, rejections } = this.#heap.collectRoots(recordNumbers, [], false, []);
      return heap.hash([{ records, cache, jobs, ticks, rejections }, values]);
    });
  }

  get launch(): ProcessLaunch {
    return this.#names.processState.launch;
  }

  /**
   * Restores the program in a process that has loaded none. Returns a function that resumes the program. Its promise
   * settles at the end of the entry point if that is an ES module, and rejects with the failure of the entry point.
   */
  async restore(bytes: Uint8Array): Promise<() => Promise<void>> {
    const { head: capturedHead, heap: heapBytes } = decodeState(bytes);
    const { head, heap, handles, finish } = await this.#prepareRestore(capturedHead, []);
    const roots = heap.read(heapBytes) as ProgramRoots;
    const abandoned = this.#findAbandoned(handles, heap, roots);
    await this.#markReported(roots.handledLate);
    finish();
    return () => this.#resume(roots, head, abandoned, roots.timers);
  }

  /** Restores a state that was written in pieces. @param adapters the adapters with which it was written */
  async restoreState(bytes: Uint8Array, adapters: readonly ObjectAdapter[]): Promise<RestoredState> {
    const { head: capturedHead, heap: heapBytes } = decodeState(bytes);
    const { head, heap, handles, finish } = await this.#prepareRestore(capturedHead, adapters);
    const [base, { timerOrder, membrane, deviceBindings }, ...roots] = heap.readAll(heapBytes) as [
      ProgramRoots,
      CaptureSupplement,
      ...unknown[],
    ];
    const abandoned = this.#findAbandoned(handles, heap, base, roots);
    await this.#markReported(base.handledLate);
    finish();
    return {
      roots,
      resume: ({ timers, pendingEventuals, hostObjects }, onResumed) => {
        const baseTimers = base.timers.map((timer, i): OrderedTimer => [timerOrder[i] as number, timer]);
        const orderedTimers = [...baseTimers, ...timers].toSorted(([a], [b]) => a - b);
        const allTimers = orderedTimers.map(([, timer]) => timer);
        const { inputs } = this.#deps.loaderRealm;
        const settledEventuals =
          membrane === null
            ? undefined
            : inputs?.restoreMembrane(
                membrane,
                hostObjects as readonly (readonly [home: object, references: HostReferences])[],
              );
        const { membraneSetup } = inputs ?? {};
        if (deviceBindings !== null && membraneSetup?.isReplay === true)
          writeDeviceBindings(deviceBindings, base.records, membraneSetup.deviceExports);
        if (membrane !== null && membrane.surrogateTypes.length > 0 && membraneSetup?.isReplay !== true)
          warnAboutDataSources(head.devices);
        const lostEventuals = [...base.pendingEventuals, ...pendingEventuals].filter(
          (each) => settledEventuals?.has(each) !== true,
        );
        return this.#resume({ ...base, pendingEventuals: lostEventuals }, head, abandoned, allTimers, onResumed);
      },
      requeue: (timers, pendingEventuals) => {
        for (const [, timer] of timers.toSorted(([a], [b]) => a - b)) this.#deps.loaderRealm.timers.arm(timer);
        rejectLostEventuals(this.#deps.realm, pendingEventuals);
      },
    };
  }

  async #prepareRestore(
    capturedHead: ProgramHead,
    extraAdapters: readonly ObjectAdapter[],
  ): Promise<{ head: ProgramHead; heap: Heap; handles: RestoredHandles; finish(): void }> {
    const { program, code } = this.#deps;
    const head = this.#names.relocation.relocateHead(capturedHead);
    const { differences, sources: moduleSources } = compareHead(head, code);
    const refusal = differencesError(differences, false);
    if (refusal !== undefined) throw refusal;
    // The working directory belongs to the process: the main thread sets it.
    if (isMainThread && process.cwd() !== head.cwd) process.chdir(head.cwd);
    program.entryPoint.restore(head.main ?? undefined);
    for (const file of head.nativeFiles) program.verdicts.addNative(file);
    if (head.usesNetworkClasses) this.#names.nameLazyGlobals();
    for (const name of head.builtins) program.builtins.register(name);
    if (head.hasHostCallbacks) this.#deps.hostCallbacks.restoreEnabled();
    const restoredRecords = await restoreRecords(this.#deps, head, moduleSources);
    const finishers = restoredRecords.records.flatMap((record, i) => {
      const kind = head.records[i]?.namespace ?? null;
      return kind === null ? [] : [program.esm.restoreNamespace(record, kind)];
    });
    restoredRecords.records.forEach((record, i) => head.records[i]?.hasMetaObject === true && record.meta);
    const recordNumbers = new RecordNumbers(this.#deps);
    this.#names.nameLateObjects();
    this.#deps.devices.expect(this.#known, head.devices);
    const handles = this.#names.handleCapturer.restore(head.handles);
    const { heap } = this.#heap.createPass(recordNumbers, restoredRecords, undefined, handles, { more: extraAdapters });
    return { head, heap, handles, finish: () => finishers.forEach((finish) => finish()) };
  }

  /** Returns the handles that were not restored, with their paths. Must be called after everything has been read. */
  #findAbandoned(
    handles: RestoredHandles,
    heap: Heap,
    base: ProgramRoots,
    pieces: unknown[] = [],
  ): readonly AbandonedHandle[] {
    const allRoots = { ...base, pieces };
    const searchable = { ...allRoots, devices: [], pendingEventuals: [] };
    const pathsTo = (objects: readonly object[]): (string | undefined)[] => {
      const paths = heap.pathsTo(searchable, objects);
      return paths.includes(undefined) ? heap.pathsTo(allRoots, objects).map((path, i) => paths[i] ?? path) : paths;
    };
    // The program's changes of builtins are known from here on.
    return this.#known.withOriginalBuiltins(() => handles.finish(pathsTo));
  }

  /** Marks rejections that Node had reported before the capture. This takes one round of the event loop. */
  async #markReported(handledLate: readonly object[]): Promise<void> {
    for (const eventual of handledLate) this.#deps.realm.parts.host.markReported?.(eventual);
    await new Promise<void>((resolve) => nativeSetImmediate(resolve));
  }

  async #resume(
    roots: ProgramRoots,
    head: ProgramHead,
    abandoned: readonly AbandonedHandle[],
    timers: readonly object[],
    onResumed?: () => void,
  ): Promise<void> {
    warnAboutAbandoned(abandoned, head.devices, head.pendingOperations);
    await this.#resumeProgram(roots, head.inTick, timers);
    const { program } = this.#deps;
    // Snapshots of the restored program wait for this.
    program.entryPoint.noteEvaluation();
    onResumed?.();
    const main = head.main === null ? undefined : program.graph.records.get(head.main);
    if (main === undefined || originOf(main)?.kind !== 'module') return;
    // An evaluated module without a failure has no promise of its end, and must not get one.
    if (main.status !== 'evaluated' || main.failure !== undefined) await evaluateForHost(main);
  }

  /** Restores the positions of inputs. A start from a snapshot takes the current process values as the baseline. */
  #restoreInputs(state: InputsState | null | undefined): void {
    const { inputs } = this.#deps.loaderRealm;
    if (inputs === undefined || state === null || state === undefined) return;
    inputs.restore(state);
    if (inputs.isRestored) this.#names.processState.resetBaseline();
  }

  async #resumeProgram(roots: ProgramRoots, inTick: boolean, timers: readonly object[]): Promise<void> {
    const { program, realm, loaderRealm } = this.#deps;
    const { cache } = program.commonJs;
    for (const name of Object.keys(cache)) Reflect.deleteProperty(cache, name);
    for (let i = 0; i < roots.cache.length; i += 2) cache[String(roots.cache[i])] = roots.cache[i + 1] as never;
    if (roots.main !== undefined) process.mainModule = roots.main as NodeModule;
    this.#restoreInputs(roots.inputs);
    this.#known.withOriginalBuiltins(() => {
      this.#names.processState.write(roots.process);
      this.#names.builtinBindings.write(roots.bindings);
    }, this.#known.lastChanges);
    if (roots.devices.length > 0) await this.#deps.devices.recreate(roots.devices, this.#heap.deviceMemberStore);
    const restoreQueues = (): void => {
      // Calls made by the restore are not the program's.
      this.#deps.loaderRealm.inputs?.membraneSetup.membrane.forgetPredictions();
      internals.writeQueues(realm, {
        jobs: roots.jobs.map(([target, kind, value]) => ({ target, kind, value })),
        ticks: roots.ticks,
        rejections: roots.rejections,
        handledLate: roots.handledLate,
      } as never);
      realm.jobs.anchor();
      rejectLostEventuals(realm, roots.pendingEventuals);
    };
    await new Promise<void>((resolve) => {
      const armTimers = (): void => {
        for (const timer of timers) loaderRealm.timers.arm(timer);
        // From here, ticks run first. Jobs run first if they are queued from a microtask.
        if (inTick) restoreQueues();
        else nativeQueueMicrotask(restoreQueues);
        resolve();
      };
      if (timers.length > 0) loaderRealm.timers.resume(armTimers);
      else if (inTick) process.nextTick(armTimers);
      else armTimers();
    });
  }

  /** The number of the program's timeouts that keep the process alive. */
  #countKeepAliveTimeouts(pending: readonly object[]): number {
    const { timers } = this.#deps.loaderRealm;
    const timerStates = pending.map((timer) => timers.read(timer));
    return timerStates.filter(({ kind, refed }) => kind === 'timeout' && refed === true).length;
  }

  #createHead(inTick: boolean): Omit<ProgramHead, 'pendingWork' | 'records' | 'handles' | 'pendingOperations'> {
    const { program, code, loaderRealm, hostCallbacks } = this.#deps;
    return {
      transform: code.transformer.version,
      node: process.version,
      main: program.entryPoint.url ?? null,
      cwd: process.cwd(),
      root: programRootOf(program.entryPoint.url),
      ownPackages: ownPackages(),
      asyncOrder: program.graph.asyncOrder,
      inTick,
      builtins: [...program.builtins.names],
      nativeFiles: [...program.verdicts.nativeFiles],
      usesNetworkClasses: loaderRealm.lazyGlobals.isTouched,
      hasHostCallbacks: hostCallbacks.isEnabled,
      packages: this.#loadedPackages.packagesOf(program.verdicts.nativeFiles),
      devices: this.#deps.devices.read(this.#known).heads,
    };
  }
}

function withSelections<H extends Pick<ProgramHead, 'records'>>(
  head: H,
  recordNumbers: RecordNumbers,
  adapters: CodeAdapters,
): H {
  return { ...head, records: applySelections(head.records, recordNumbers, adapters.selection()) };
}

/** Node's modules that take long to load. */
const PRELOADED_BUILTINS: ReadonlySet<string> = new Set(
  'crypto dns events fs http http2 https net stream tls url util zlib'.split(' ').map((name) => `node:${name}`),
);

/** The fields of a timer that depend on the host, without values. */
const BLANK_TIMER_STATE: Omit<TimerState, 'kind' | 'number'> = {
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

function timerIdentity({ kind, number }: TimerState): Pick<TimerState, 'kind' | 'number'> {
  return { kind, number };
}

/** The directory of the entry point's package, or of the entry point. */
function programRootOf(main: string | undefined): string | null {
  if (main?.startsWith('file:') !== true) return null;
  const file = fileURLToPath(main);
  return packageScope(file)?.directory ?? dirname(file);
}
