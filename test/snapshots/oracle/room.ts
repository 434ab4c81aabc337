// A thread's program, as the runtime's snapshots need it, without a thread: a realm in which the bank's module is loaded, written down piece
// by piece and read again. A room can be used for one life after another, as long as each ends with nothing left to do.
import { readFileSync } from 'node:fs';
import { types } from 'node:util';
import { Script } from 'node:vm';
import { createRealm, internals, ModuleGraph, type Context, type ModuleRecord, type Realm } from '@turntable/core';
import {
  CodeAdapters,
  Heap,
  KnownObjects,
  moduleAdapter,
  nodePorts,
  type Adapter,
  type CodeEntries,
  type Factories,
} from '@turntable/heap';
import { ActorLostError, RuntimeError, type StateRoom } from '@turntable/runtime';
import { transform } from '@turntable/transform';
import { createEngineView } from '../../../packages/loader/src/realm/engine-view.ts';

type Pieces = ReturnType<StateRoom['begin']>;
type RestoredPieces = Awaited<ReturnType<StateRoom['restorePieces']>>;

/** Who uses the room. */
export interface Guest {
  /** Runs a callback later. */
  later(callback: () => void): void;
  report(whose: string, reason: unknown): void;
  /** What the program can ask of the runtime. */
  readonly natives: Natives;
  /** A callback is to be called some time. */
  wait(timer: WaitingTimer): void;
  /** Whether something of the language was changed behind the last cut. */
  changes(): boolean;
}

/** A callback of the program's that waits. */
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

export type Natives = Readonly<Record<(typeof NATIVES)[number], (...args: never[]) => unknown>>;

interface Base {
  readonly record: ModuleRecord;
  readonly queues: ReturnType<typeof internals.readQueues>;
  readonly timers: readonly WaitingTimer[];
  readonly places: readonly number[];
}

const PATH = 'bank.cjs';
const source = readFileSync(new URL('./fixtures/bank.cjs', import.meta.url), 'utf8');
let rooms = 0;
let isInstalled = false;

export class Room implements StateRoom {
  readonly realm: Realm;
  readonly #natives: Record<string, unknown>;
  readonly #table: CodeEntries & { readonly module: unknown };
  readonly #running: Script;
  readonly #restoring: Script;
  readonly #known: KnownObjects;
  #guest: Guest | undefined;
  #record: ModuleRecord | undefined;
  #factories: Factories | undefined;
  /** Callbacks that wait, in the order in which they were made. */
  timers: WaitingTimer[] = [];
  /** What was read last. */
  roots: readonly unknown[] = [];

  constructor() {
    const later = (callback: () => void): void => this.#guest?.later(callback);
    const host = {
      queueMicrotask: later,
      nextTick: later,
      unhandledRejection: (_: object, reason: unknown): void => this.#guest?.report('outside of actors', reason),
      rejectionHandled(): void {},
      isProxy: types.isProxy,
      isNativePromise: types.isPromise,
      engine: createEngineView(),
    };
    // What a realm changes about the engine's prototypes serves all realms: it is there before any of them looks.
    if (!isInstalled) createRealm(host).install();
    isInstalled = true;
    this.realm = createRealm(host);
    this.#natives = Object.fromEntries(
      NATIVES.map((name) => [
        name,
        (...args: unknown[]) => Reflect.apply(this.#guest?.natives[name] as never, undefined, args) as unknown,
      ]),
    );
    const id = `bank${rooms++}`;
    const { code, table } = transform(source, { path: PATH, kind: 'commonjs', id });
    this.#table = table as never;
    const { functions, classes } = this.#table;
    const restored = transform(source, {
      path: PATH,
      kind: 'commonjs',
      id,
      // Members come with their classes.
      restore: {
        functions: functions.flatMap(({ member }, i) => (member === null ? [i] : [])),
        classes: classes.map((_, i) => i),
      },
    });
    this.#running = new Script(code, { filename: PATH });
    this.#restoring = new Script(restored.code, { filename: PATH });
    this.#known = new KnownObjects(this.realm, { isProxy: types.isProxy });
    this.#known.add('turntable', { ...this.#natives, RuntimeError, ActorLostError }, 'ordinary');
  }

  /** The next life begins. */
  enter(guest: Guest): void {
    this.#guest = guest;
    this.timers = [];
    const graph = new ModuleGraph({ forCode: this.realm } as never, {} as never);
    this.#record = graph.commonjs(PATH, this.#table.module as never);
  }

  /** Evaluates the program's module. */
  load(): void {
    const exports = {};
    this.#evaluate(this.#running, [exports, () => this.#natives, { exports }, PATH, '.']);
    this.record.parameters = [exports, undefined, undefined, PATH, '.'];
  }

  get record(): ModuleRecord {
    return this.#record as ModuleRecord;
  }

  /** What the program's module exports. */
  get exports(): Record<string, unknown> {
    return this.record.parameters?.[0] as Record<string, unknown>;
  }

  #evaluate(script: Script, parameters: readonly unknown[]): unknown {
    const { record } = this;
    record.parameters = parameters;
    const factory = script.runInThisContext() as (...args: unknown[]) => unknown;
    return Reflect.apply(factory, parameters[0], [record, this.realm, ...parameters]);
  }

  #heap(more: readonly Adapter[]): Heap {
    const code = new CodeAdapters(this.realm, {
      entriesOf: () => this.#table,
      factories: () => this.#factories as Factories,
    });
    const { record } = this;
    const modules = moduleAdapter({ numberOf: () => 0, recordAt: () => record });
    return new Heap(nodePorts(this.realm, { types, known: this.#known, code, adapters: [modules, ...more] }));
  }

  begin({ adapters, isOfBase, give }: Parameters<StateRoom['begin']>[0]): Pieces {
    const timers = this.timers.map((timer, place) => ({ place, timer }));
    const own = timers.filter(({ timer }) => isOfBase(timer.context));
    const others = timers.filter((each) => !own.includes(each));
    const base: Base = {
      record: this.record,
      queues: internals.readQueues(this.realm),
      timers: own.map(({ timer }) => timer),
      places: own.map(({ place }) => place),
    };
    const capture = this.#undisturbed(() => {
      const begun = this.#heap(adapters).capture(base, { isApart: true, ...(give && { give }) });
      begun.run();
      return begun;
    });
    let left = 3;
    return {
      waiting: [],
      held: [],
      timers: others.map(({ place, timer }) => [timer.context, [place, timer]]),
      get size() {
        return capture.size;
      },
      add: (root, name, group) => this.#undisturbed(() => capture.add(root, name, group)),
      // The program changes nothing of the language's: that there is something to do at leisure, and that it may be in vain, is what matters here.
      confirm: () => (left-- > 0 ? 'more' : this.#guest?.changes() === true ? { changed: 'something' } : 'same'),
      finish: () => capture.finish(),
    };
  }

  async restorePieces(bytes: Uint8Array, adapters: readonly Adapter[]): Promise<RestoredPieces> {
    this.#factories = this.#evaluate(this.#restoring, [{}, undefined, undefined, PATH, '.']) as Factories;
    const [base, ...roots] = this.#undisturbed(() => this.#heap(adapters).readAll(bytes)) as [Base, ...unknown[]];
    this.roots = roots;
    const { realm } = this;
    return {
      roots,
      goOn: async ({ timers }, begun) => {
        const own = base.timers.map((timer, i) => [base.places[i] as number, timer] as const);
        const placed = [...own, ...timers].toSorted(([a], [b]) => a - b);
        for (const [, timer] of placed) this.#guest?.wait(timer as WaitingTimer);
        internals.writeQueues(realm, base.queues);
        realm.jobs.anchor();
        begun();
      },
      rejoin: (timers) => {
        for (const [, timer] of timers) this.#guest?.wait(timer as WaitingTimer);
      },
    };
  }

  /** Equal for equal states. */
  hash(root: unknown, adapters: readonly Adapter[]): string {
    return this.#undisturbed(() => this.#heap(adapters).hash(root));
  }

  #undisturbed<R>(look: () => R): R {
    return this.#known.undisturbed(look, this.#known.last);
  }
}
