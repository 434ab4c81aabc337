/*
 * A transformed realm whose program moves to a fresh realm at every job boundary: its state is written to bytes, a
 * realm in a new context reads them and runs the rest, and the old realm is dropped. Only bytes and texts are passed.
 * The host objects that tests see (`print`, `$262`) are provided by the new realm. Harness files belong to the program.
 */
import { createHash } from 'node:crypto';
import { types } from 'node:util';
import type * as Core from '@turntable/core';
import type { CodeFactories, Heap } from '@turntable/heap';
import { createEngineView } from '../../packages/loader/src/realm/engine-view.ts';
import { bundle, type CoreAndHeap } from './realm-bundle.ts';
import type { TestRealm, TestRealmOptions } from './test-realm.ts';
import { openTransformedRealm, type RealmSource, type TransformedRealm } from './transformed-realm.ts';

const coreAndHeap = await bundle('core and heap');
const engine = createEngineView();

/** A test that runs longer continues without interruptions. */
const MAX_INTERRUPTIONS = 400;
/** Turns of the event loop for the evaluation of a module. */
const MAX_EVALUATION_ROUNDS = 60;

type Selection = { readonly functions: readonly number[]; readonly classes: readonly number[] };

type RecordHead = Core.ModuleSkeleton & {
  readonly source: RealmSource | null;
  readonly selection: Selection;
  readonly registered: string | null;
  readonly cells: readonly string[];
  readonly namespace: boolean;
  readonly meta: boolean;
};

type Head = { readonly asyncOrder: number; readonly sourceCount: number; readonly records: readonly RecordHead[] };

type CapturedState = { readonly head: string; readonly heap: Uint8Array };

type Job = readonly [target: unknown, kind: number, value: unknown];

type Roots = { readonly records: readonly Core.ModuleRecord[]; readonly jobs: readonly Job[] };

/** One realm that the program runs in. */
type CaptureRealm = TransformedRealm & {
  readonly bundle: CoreAndHeap;
  readonly known: InstanceType<CoreAndHeap['KnownObjects']>;
  /** Prototypes of the context, for roots: these must be arrays and objects of the context. */
  readonly prototypes: { readonly array: object; readonly object: object };
};

export function openInterruptedRealm(options: TestRealmOptions): TestRealm {
  let isExcluded = false;
  const exclude = (reason: string): void => {
    isExcluded = true;
    options.onExclusion?.(reason);
  };

  function open(): CaptureRealm {
    let known: CaptureRealm['known'] | undefined;
    const realm = openTransformedRealm({
      ...options,
      bundle: coreAndHeap,
      host: { engine, isProxy: types.isProxy, isNativePromise: types.isPromise },
      onCreated: (createdRealm, core) => {
        known = new (core as CoreAndHeap).KnownObjects(createdRealm, { isProxy: types.isProxy });
      },
      onOtherRealm: () => exclude('a second realm'),
      onRefusal: (construct) => {
        exclude(construct === 'eval' ? 'direct eval' : 'with');
        options.onRefusal?.(construct);
      },
    });
    const names = known as unknown as CaptureRealm['known'];
    const { print, $262 } = realm.global as { print: object; $262: Record<string, unknown> };
    names.add('print', print, 'alone');
    names.add('$262', $262, 'alone');
    for (const [name, value] of Object.entries($262)) {
      if (value !== realm.global) names.add(`$262.${name}`, value as object, 'alone');
    }
    const { Array: array, Object: object } = realm.global as Record<string, { prototype: object }>;
    const prototypes = { array: array?.prototype as object, object: object?.prototype as object };
    return Object.assign(realm, { bundle: realm.core as CoreAndHeap, known: names, prototypes });
  }

  let captureRealm = open();
  let interruptions = 0;
  let failure: { reason: string; detail: string } | undefined;
  observe(false);

  function observe(isRestored: boolean): void {
    let isFirst = isRestored;
    const { jobs } = captureRealm.realm;
    jobs.observeBoundaries((after) => {
      // The entry right after a restore is skipped, as it would be captured for ever.
      const skips = isFirst && after === 'entry';
      isFirst = false;
      if (!skips) interrupt();
    });
  }

  function interrupt(): void {
    if (failure !== undefined || isExcluded || interruptions === MAX_INTERRUPTIONS) return;
    interruptions++;
    const old = captureRealm;
    let phase = 'capture';
    try {
      const { state, hash } = old.known.withOriginalBuiltins(() => capture(old));
      phase = 'restore';
      const next = open();
      const roots = next.known.withOriginalBuiltins(() => restore(next, state));
      phase = 'hash';
      const restoredHash = next.known.withOriginalBuiltins(() => hashOf(next, roots));
      if (restoredHash !== hash) throw new Error('the restored state differs from the captured one');
      old.realm.jobs.observeBoundaries(undefined);
      old.realm.jobs.clear();
      captureRealm = next;
      // An index loop: the program may have replaced the iterators of its arrays.
      for (let i = 0; i < roots.jobs.length; i++) {
        const { 0: target, 1: kind, 2: value } = roots.jobs[i] as Job;
        next.realm.jobs.enqueue(target, kind, value);
      }
      observe(true);
      options.onInterruption?.();
    } catch (error) {
      failure = { reason: phase, detail: detailOf(error) };
    }
  }

  return {
    get global() {
      return captureRealm.global;
    },
    get failure() {
      return failure;
    },
    interrupt,
    harness: (source, file) => captureRealm.transformedHarness(source, file),
    script: (source, file) => captureRealm.script(source, file),
    module: (source, file) => {
      const module = captureRealm.module(source, file);
      return {
        link: () => {
          module.link();
          interrupt();
        },
        async evaluate() {
          for (let round = 0; round < MAX_EVALUATION_ROUNDS; round++) {
            const { core, graph } = captureRealm;
            const main = graph.records.get(`:${file}`) as Core.ModuleRecord;
            const completion = core.evaluate(main) as Core.Eventual;
            const state = core.Eventual.state(completion);
            if (state === core.FULFILLED) return undefined;
            if (state === core.REJECTED) throw core.Eventual.value(completion);
            await new Promise((resolve) => setImmediate(resolve));
          }
          throw new Error('the evaluation of the module did not finish');
        },
      };
    },
  };
}

function detailOf(error: unknown): string {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return `${code === undefined ? '' : `${String(code)}: `}${String(message)}`;
}

// ── Capture
// ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Numbers of records: first registered modules and scripts, then the records that the state refers to. */
class RecordNumbers {
  readonly list: Core.ModuleRecord[] = [];
  readonly #numbers = new Map<Core.ModuleRecord, number>();

  constructor({ sources, graph }: CaptureRealm) {
    for (const record of graph.records.values()) this.numberOf(record);
    for (const [record, { kind }] of sources) if (kind === 'script') this.numberOf(record);
  }

  numberOf(record: Core.ModuleRecord): number {
    let number = this.#numbers.get(record);
    if (number === undefined) this.#numbers.set(record, (number = this.list.push(record) - 1));
    return number;
  }
}

function capture(captureRealm: CaptureRealm): { state: CapturedState; hash: string } {
  const numbers = new RecordNumbers(captureRealm);
  const { heap, selections } = heapOf(captureRealm, numbers, undefined);
  const bytes = heap.write(rootsOf(captureRealm, numbers));
  const head = JSON.stringify(describeRecords(captureRealm, numbers, selections()));
  return { state: { head, heap: bytes.slice() }, hash: hashOfBytes(bytes) };
}

function hashOf(captureRealm: CaptureRealm, roots: Roots): string {
  return hashOfBytes(heapOf(captureRealm, new RecordNumbers(captureRealm), undefined).heap.write(roots));
}

function hashOfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function rootsOf({ realm, bundle: { internals }, prototypes }: CaptureRealm, numbers: RecordNumbers): Roots {
  const withPrototype = <T extends object>(made: T, prototype: object): T =>
    Object.setPrototypeOf(made, prototype) as T;
  const jobs = internals
    .readQueues(realm)
    .jobs.map(({ target, kind, value }) => withPrototype([target, kind, value] as const, prototypes.array));
  const roots = {
    records: withPrototype([...numbers.list], prototypes.array),
    jobs: withPrototype(jobs, prototypes.array),
  };
  return withPrototype(roots, prototypes.object);
}

function describeRecords(captureRealm: CaptureRealm, numbers: RecordNumbers, selections: Map<object, Selection>): Head {
  const { graph, sources, bundle: core } = captureRealm;
  const keys = new Map([...graph.records].map(([key, record]) => [record, key]));
  const records: RecordHead[] = [];
  // The list may grow during the loop.
  for (let i = 0; i < numbers.list.length; i++) {
    const record = numbers.list[i] as Core.ModuleRecord;
    const { kind, file, source, prefix, id } = sources.get(record) ?? {};
    records.push({
      ...core.readSkeleton(record, (each) => numbers.numberOf(each)),
      source: kind === undefined ? null : ({ kind, file, source, prefix, id } as RealmSource),
      selection: selections.get(record) ?? { functions: [], classes: [] },
      registered: keys.get(record) ?? null,
      cells: record.kind === 'synthetic' ? [...record.cells.keys()] : [],
      namespace: record.namespace !== undefined,
      meta: record.metaObject !== undefined,
    });
  }
  return { asyncOrder: graph.asyncOrder, sourceCount: captureRealm.sourceCount, records };
}

// ── Restore
// ────────────────────────────────────────────────────────────────────────────────────────────────────────────

type RestoredRecords = {
  readonly records: readonly Core.ModuleRecord[];
  factories(record: Core.ModuleRecord): CodeFactories;
};

function restore(captureRealm: CaptureRealm, { head: json, heap: bytes }: CapturedState): Roots {
  const { graph, bundle: core } = captureRealm;
  const head = JSON.parse(json) as Head;
  const factories = new Map<Core.ModuleRecord, CodeFactories>();
  const starts: [Core.ModuleRecord, Core.ModuleFactory][] = [];
  const records = head.records.map((each) => {
    const record = restoreRecord(captureRealm, each, starts);
    if (each.registered !== null) graph.records.set(each.registered, record);
    return record;
  });
  core.connectModules(head.records, records);
  graph.asyncOrder = head.asyncOrder;
  captureRealm.sourceCount = head.sourceCount;
  for (const [record, start] of starts)
    factories.set(record, start(record, record.realm.realmForCode) as CodeFactories);
  records.forEach((record, i) => {
    if (head.records[i]?.namespace === true) core.namespaceOf(record);
    if (head.records[i]?.meta === true) void record.meta;
  });
  const restored: RestoredRecords = {
    records,
    factories: (record) => factories.get(record) ?? core.factoriesOfInstantiated(record),
  };
  return heapOf(captureRealm, new RecordNumbers(captureRealm), restored).heap.read(bytes) as Roots;
}

function restoreRecord(
  { graph, recompile, load, bundle: core }: CaptureRealm,
  head: RecordHead,
  starts: [Core.ModuleRecord, Core.ModuleFactory][],
): Core.ModuleRecord {
  const { source: text, status, selection } = head;
  const isLoaded = status === 'evaluated' || status === 'evaluating-async';
  if (text === null && !isLoaded) return load(head.key, { type: 'json' });
  if (text === null) return graph.synthetic(head.key, head.cells, () => undefined);
  if (text.kind === 'module' && (!isLoaded || core.needsEvaluation(head))) return recompile(text).record;
  const { record, factory } = recompile(text, selection);
  starts.push([record, factory]);
  return record;
}

// ── The heap of a realm
// ────────────────────────────────────────────────────────────────────────────────────────────────

function heapOf(
  captureRealm: CaptureRealm,
  numbers: RecordNumbers,
  restored: RestoredRecords | undefined,
): { heap: Heap; selections(): Map<object, Selection> } {
  const { realm, sources, known, graph, bundle: core } = captureRealm;
  for (const record of graph.records.values()) {
    if (record.namespace !== undefined) known.add(`namespace of ${record.key}`, record.namespace, 'alone');
    if (record.metaObject !== undefined) known.add(`import.meta of ${record.key}`, record.metaObject, 'alone');
  }
  const code = new core.CodeAdapters(realm, {
    entriesOf: (record) => sources.get(record as Core.ModuleRecord)?.table,
    factoriesOf: (record) => (restored as RestoredRecords).factories(record as Core.ModuleRecord),
  });
  const modules = core.createModuleAdapter({
    numberOf: (record) => numbers.numberOf(record),
    recordAt: (number) => restored?.records[number],
  });
  const selections = (): Map<object, Selection> =>
    new Map(code.selection().map(({ record, functions, classes }) => [record, { functions, classes }]));
  const heap = new core.Heap(core.createNodePorts(realm, { types, known, code, adapters: [modules] }));
  return { heap, selections };
}
