// A thread's program as the runtime's snapshots see it, without a thread: a realm with the bank's module, captured
// piece by piece and restored. It can be reused if the previous run has ended with nothing left to do.
import { readFileSync } from 'node:fs';
import { types } from 'node:util';
import { Script } from 'node:vm';
import { createRealm, internals, ModuleGraph, type Context, type ModuleRecord, type Realm } from '@turntable/core';
import {
  CodeAdapters,
  Heap,
  KnownObjects,
  createModuleAdapter,
  createNodePorts,
  type ObjectAdapter,
  type CodeEntries,
  type CodeFactories,
} from '@turntable/heap';
import { ActorLostError, RuntimeError, type StateCapturer } from '@turntable/runtime';
import { transform } from '@turntable/transform';
import { createEngineView } from '../../../packages/loader/src/realm/engine-view.ts';

type Pieces = ReturnType<StateCapturer['startCapture']>;
type RestoredPieces = Awaited<ReturnType<StateCapturer['restoreState']>>;

/** Callbacks of the cluster that runs the program. */
export interface ProgramPorts {
  later(callback: () => void): void;
  report(owner: string, reason: unknown): void;
  /** Runtime functions that the program imports. */
  readonly natives: ProgramNatives;
  /** Registers a timer that fires some time. */
  addTimer(timer: WaitingTimer): void;
  /** Whether a builtin was changed after the last cut. */
  hasChanged(): boolean;
}

/** Timer callback of the program, with its context. */
export interface WaitingTimer {
  readonly callback: () => void;
  readonly context: Context;
}

const NATIVES = [
  'far',
  'near',
  'spawn',
  'tell',
  'send',
  'sendWith',
  'stop',
  'release',
  'whenBroken',
  'nextTick',
  'setTimeout',
  'hello',
] as const;

export type ProgramNatives = Readonly<Record<(typeof NATIVES)[number], (...args: never[]) => unknown>>;

interface BaseState {
  readonly record: ModuleRecord;
  readonly queues: ReturnType<typeof internals.readQueues>;
  readonly timers: readonly WaitingTimer[];
  readonly timerIndexes: readonly number[];
}

const PATH = 'bank.cjs';
const source = readFileSync(new URL('./fixtures/bank.cjs', import.meta.url), 'utf8');
let programCount = 0;
let isInstalled = false;

export class SimulatedProgram implements StateCapturer {
  readonly realm: Realm;
  readonly #natives: Record<string, unknown>;
  readonly #table: CodeEntries & { readonly module: unknown };
  readonly #script: Script;
  readonly #restoreScript: Script;
  readonly #known: KnownObjects;
  #ports: ProgramPorts | undefined;
  #record: ModuleRecord | undefined;
  #factories: CodeFactories | undefined;
  /** Timers in creation order. */
  timers: WaitingTimer[] = [];
  /** Roots that were read last. */
  roots: readonly unknown[] = [];

  constructor() {
    const later = (callback: () => void): void => this.#ports?.later(callback);
    const host = {
      queueMicrotask: later,
      nextTick: later,
      unhandledRejection: (_: object, reason: unknown): void => this.#ports?.report('no actor', reason),
      rejectionHandled(): void {},
      isProxy: types.isProxy,
      isNativePromise: types.isPromise,
      engine: createEngineView(),
    };
    // Changes of the engine's prototypes apply to all realms, so they must precede the first realm's snapshot of them.
    if (!isInstalled) createRealm(host).install();
    isInstalled = true;
    this.realm = createRealm(host);
    this.#natives = Object.fromEntries(
      NATIVES.map((name) => [
        name,
        (...args: unknown[]) => Reflect.apply(this.#ports?.natives[name] as never, undefined, args) as unknown,
      ]),
    );
    const id = `bank${programCount++}`;
    const { code, table } = transform(source, { path: PATH, kind: 'commonjs', id });
    this.#table = table as never;
    const { functions, classes } = this.#table;
    const restored = transform(source, {
      path: PATH,
      kind: 'commonjs',
      id,
      // Members are created with their classes.
      restore: {
        functions: functions.flatMap(({ member }, i) => (member === null ? [i] : [])),
        classes: classes.map((_, i) => i),
      },
    });
    this.#script = new Script(code, { filename: PATH });
    this.#restoreScript = new Script(restored.code, { filename: PATH });
    this.#known = new KnownObjects(this.realm, { isProxy: types.isProxy });
    this.#known.add('turntable', { ...this.#natives, RuntimeError, ActorLostError }, 'ordinary');
  }

  /** Prepares for the next run. */
  enter(ports: ProgramPorts): void {
    this.#ports = ports;
    this.timers = [];
    const graph = new ModuleGraph({ realmForCode: this.realm } as never, {} as never);
    this.#record = graph.commonjs(PATH, this.#table.module as never);
  }

  /** Evaluates the program's module. */
  load(): void {
    const exports = {};
    this.#evaluate(this.#script, [exports, () => this.#natives, { exports }, PATH, '.']);
    this.record.parameters = [exports, undefined, undefined, PATH, '.'];
  }

  get record(): ModuleRecord {
    return this.#record as ModuleRecord;
  }

  /** Exports of the program's module. */
  get exports(): Record<string, unknown> {
    return this.record.parameters?.[0] as Record<string, unknown>;
  }

  #evaluate(script: Script, parameters: readonly unknown[]): unknown {
    const { record } = this;
    record.parameters = parameters;
    const factory = script.runInThisContext() as (...args: unknown[]) => unknown;
    return Reflect.apply(factory, parameters[0], [record, this.realm, ...parameters]);
  }

  #heap(more: readonly ObjectAdapter[]): Heap {
    const code = new CodeAdapters(this.realm, {
      entriesOf: () => this.#table,
      factoriesOf: () => this.#factories as CodeFactories,
    });
    const { record } = this;
    const modules = createModuleAdapter({ numberOf: () => 0, recordAt: () => record });
    return new Heap(createNodePorts(this.realm, { types, known: this.#known, code, adapters: [modules, ...more] }));
  }

  startCapture({ adapters, isInBase, onBytes }: Parameters<StateCapturer['startCapture']>[0]): Pieces {
    const timers = this.timers.map((timer, place) => ({ place, timer }));
    const baseTimers = timers.filter(({ timer }) => isInBase(timer.context));
    const others = timers.filter((each) => !baseTimers.includes(each));
    const base: BaseState = {
      record: this.record,
      queues: internals.readQueues(this.realm),
      timers: baseTimers.map(({ timer }) => timer),
      timerIndexes: baseTimers.map(({ place }) => place),
    };
    const capture = this.#undisturbed(() => {
      const started = this.#heap(adapters).capture(base, { isDisjoint: true, ...(onBytes && { onBytes }) });
      started.run();
      return started;
    });
    let remainingConfirms = 3;
    return {
      pendingEventuals: [],
      hostObjects: [],
      timers: others.map(({ place, timer }) => [timer.context, [place, timer]]),
      get size() {
        return capture.size;
      },
      add: (root, name, group) => this.#undisturbed(() => capture.add(root, name, group)),
      // The program changes no builtins. What matters is that idle-time work exists and can turn out to be in vain.
      confirm: () =>
        remainingConfirms-- > 0 ? 'more' : this.#ports?.hasChanged() === true ? { changed: 'something' } : 'same',
      finish: () => capture.finish(),
    };
  }

  async restoreState(bytes: Uint8Array, adapters: readonly ObjectAdapter[]): Promise<RestoredPieces> {
    this.#factories = this.#evaluate(this.#restoreScript, [{}, undefined, undefined, PATH, '.']) as CodeFactories;
    const [base, ...roots] = this.#undisturbed(() => this.#heap(adapters).readAll(bytes)) as [BaseState, ...unknown[]];
    this.roots = roots;
    const { realm } = this;
    return {
      roots,
      resume: async ({ timers }, onStarted) => {
        const baseTimers = base.timers.map((timer, i) => [base.timerIndexes[i] as number, timer] as const);
        const timersInOrder = [...baseTimers, ...timers].toSorted(([a], [b]) => a - b);
        for (const [, timer] of timersInOrder) this.#ports?.addTimer(timer as WaitingTimer);
        internals.writeQueues(realm, base.queues);
        realm.jobs.anchor();
        onStarted();
      },
      requeue: (timers) => {
        for (const [, timer] of timers) this.#ports?.addTimer(timer as WaitingTimer);
      },
    };
  }

  /** Hash, equal for equal states. */
  hash(root: unknown, adapters: readonly ObjectAdapter[]): string {
    return this.#undisturbed(() => this.#heap(adapters).hash(root));
  }

  #undisturbed<R>(action: () => R): R {
    return this.#known.withOriginalBuiltins(action, this.#known.lastChanges);
  }
}
