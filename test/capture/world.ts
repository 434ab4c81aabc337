// A program in its own realm, which can be captured and restored in another realm as if in another process: only bytes
// pass between them. Queues are run by hand, so that tests control the order. Engine state comes from the loader's
// views.
import { types } from 'node:util';
import { Script } from 'node:vm';
import { expect } from 'vitest';
import { createRealm, internals, ModuleGraph, type ModuleRecord, type Queues, type Realm } from '@turntable/core';
import {
  CodeAdapters,
  Heap,
  KnownObjects,
  createModuleAdapter,
  createNodePorts,
  type CodeFactories,
} from '@turntable/heap';
import { transform } from '@turntable/transform';
import { manualHost, type ManualHost } from '../../packages/core/test/manual-host.ts';
import { createAsyncContexts } from '../../packages/boundary/src/realm/async-contexts.ts';
import { createEngineView } from '../../packages/loader/src/realm/engine-view.ts';

const NO_SELECTION = { functions: [], classes: [] };
const MODULES = [
  'async_hooks',
  'buffer',
  'events',
  'fs',
  'http',
  'net',
  'stream',
  'string_decoder',
  'timers',
  'util',
  'worker_threads',
];
const BUILTINS: Record<string, object> = Object.fromEntries(
  MODULES.map((name) => [`node:${name}`, process.getBuiltinModule(name) as object]),
);

/** Values of lazy properties. */
const LAZY_PROPERTIES = {
  'node:async_hooks.AsyncLocalStorage': process.getBuiltinModule('async_hooks').AsyncLocalStorage,
  'node:fs.promises': process.getBuiltinModule('fs').promises,
  'node:fs.ReadStream': process.getBuiltinModule('fs').ReadStream,
};

let worldCount = 0;
/** Changes of the engine's prototypes apply to all realms, so they must precede the first realm's snapshot of them. */
createRealm(manualHost()).install();

export interface WorldState {
  readonly record: ModuleRecord;
  readonly queues: Queues;
}

export class CaptureWorld {
  readonly source: string;
  /** Compiles with a probe before each statement. */
  readonly debug: boolean;
  readonly host: ManualHost = { ...manualHost(), isProxy: types.isProxy };
  readonly realm: Realm;
  readonly code: CodeAdapters;
  readonly heap: Heap;
  readonly record: ModuleRecord;
  /** Module id in the identities of functions; unique for each world. */
  readonly #id = `world${worldCount++}`;
  #factories: CodeFactories | undefined;

  constructor(source: string, debug = false) {
    this.source = source;
    this.debug = debug;
    const contexts = createAsyncContexts();
    this.realm = createRealm({
      ...this.host,
      isProxy: types.isProxy,
      isNativePromise: types.isPromise,
      engine: createEngineView(),
      contexts,
    });
    contexts.attachTo(this.realm);
    const { table } = transform(source, { path: 'program.cjs', kind: 'commonjs', id: this.#id });
    const graph = new ModuleGraph({ realmForCode: this.realm } as never, {} as never);
    this.record = graph.commonjs('program.cjs', table.module as never);
    this.code = new CodeAdapters(this.realm, {
      entriesOf: () => table,
      factoriesOf: () => this.#factories as CodeFactories,
    });
    this.heap = new Heap(
      createNodePorts(this.realm, {
        types,
        known: new KnownObjects(this.realm, {
          isProxy: types.isProxy,
          namedObjects: { ...BUILTINS, ...LAZY_PROPERTIES },
        }),
        code: this.code,
        adapters: [createModuleAdapter({ numberOf: () => 0, recordAt: () => this.record })],
      }),
    );
  }

  /** Runs the program from the start. It can `require` builtins and the given native values. */
  static run(source: string, natives: Readonly<Record<string, unknown>> = {}, debug = false): CaptureWorld {
    const world = new CaptureWorld(source, debug);
    const exports = {};
    const require = (name: string): unknown => BUILTINS[name] ?? natives[name];
    world.record.parameters = [exports, require, { exports }, 'program.cjs', '.'];
    const { code } = transform(source, { path: 'program.cjs', kind: 'commonjs', id: world.#id, debug });
    world.#evaluate(code);
    return world;
  }

  get exports(): Record<string, unknown> {
    return this.record.parameters?.[0] as Record<string, unknown>;
  }

  /** Without the parameters that hold the test's `require`, which is not part of the state. */
  get state(): WorldState {
    this.record.parameters = [this.exports, undefined, undefined, 'program.cjs', '.'];
    return { record: this.record, queues: internals.readQueues(this.realm) };
  }

  get hash(): string {
    return this.heap.hash(this.state);
  }

  /** Restores the state in another world. */
  copy(debug = this.debug): CaptureWorld {
    const bytes = this.heap.write(this.state);
    const { hash } = this;
    const world = this.createReader(debug);
    const { queues } = world.heap.read(bytes) as WorldState;
    internals.writeQueues(world.realm, queues);
    expect(world.hash).toBe(hash);
    return world;
  }

  /** Creates a world that can read the last bytes written by this one. */
  createReader(debug = this.debug): CaptureWorld {
    const world = new CaptureWorld(this.source, debug);
    const [selection = NO_SELECTION] = this.code.selection();
    const restored = transform(this.source, {
      path: 'program.cjs',
      kind: 'commonjs',
      id: world.#id,
      debug,
      restore: { functions: selection.functions, classes: selection.classes },
    });
    world.#factories = world.#evaluate(restored.code) as CodeFactories;
    return world;
  }

  settle(): void {
    this.host.settle();
  }

  #evaluate(code: string): unknown {
    const factory = new Script(code, { filename: 'program.cjs' }).runInThisContext() as (...args: unknown[]) => unknown;
    return Reflect.apply(factory, this.exports, [this.record, this.realm, ...(this.record.parameters ?? [])]);
  }
}

/** Compares the result of `use` in the original, in a copy, and in a copy of the copy. */
export function inEachCopy<T>(source: string, use: (exports: T, world: CaptureWorld) => unknown): void {
  const original = CaptureWorld.run(source);
  const copy = original.copy();
  const copies = [original, copy, copy.copy()];
  const [expected, ...others] = copies.map((world) => use(world.exports as T, world));
  expect(expected).toBeDefined();
  for (const other of others) expect(other).toEqual(expected);
}
