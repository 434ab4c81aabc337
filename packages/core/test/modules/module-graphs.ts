// Small module graphs by hand: a table and a factory per module, exactly as docs/internals/abi.md says the transform writes them.
import { init } from '../../src/cell.ts';
import { evaluateNow } from '../../src/modules/evaluate.ts';
import { ModuleGraph } from '../../src/modules/graph.ts';
import { link, loadRequested } from '../../src/modules/link.ts';
import type { ModuleFactory, ModuleRecord } from '../../src/modules/record.ts';
import type { ExportEntry, ImportEntry, ModuleTable } from '../../src/modules/module-table.ts';
import { createNativeRealm, type TestFrame } from './native-realm.ts';
import type { ModuleFrame } from '../../src/modules/ports.ts';

export interface Source {
  readonly requests?: readonly string[];
  readonly imports?: readonly ImportEntry[];
  readonly exports?: readonly ExportEntry[];
  /** Runs when the module is instantiated. */
  readonly instantiate?: (record: ModuleRecord) => void;
  readonly evaluate?: (record: ModuleRecord) => void;
  /** Makes the module asynchronous: its result is awaited once. */
  readonly asynchronous?: (record: ModuleRecord) => unknown;
}

export { init };

export function tableOf(source: Source): ModuleTable {
  return {
    kind: 'module',
    async: source.asynchronous !== undefined,
    requests: (source.requests ?? []).map((specifier) => ({ specifier, attributes: {}, start: 0 })),
    imports: source.imports ?? [],
    exports: source.exports ?? [],
    cells: [],
  };
}

function factoryOf(source: Source): ModuleFactory {
  const { asynchronous } = source;
  if (asynchronous === undefined) {
    return function* (record: ModuleRecord): Generator {
      source.instantiate?.(record);
      yield;
      source.evaluate?.(record);
    };
  }
  return (record, realm) => {
    source.instantiate?.(record);
    const { createFrame, await: suspend } = realm as ReturnType<typeof createNativeRealm>;
    return createFrame((frame: ModuleFrame, value: unknown, how: 0 | 1 | 2): unknown => {
      const point = frame.pc;
      frame.pc = 0;
      if (how === 1) throw value;
      if (point === 0) return suspend(frame, 1, asynchronous(record));
      source.evaluate?.(record);
      return undefined;
    }) as TestFrame;
  };
}

export function createGraph(sources: Readonly<Record<string, Source>>): ModuleGraph {
  const graph: ModuleGraph = new ModuleGraph(createNativeRealm(), {
    load: (_referrer, { specifier }) => ensureModule(graph, sources, specifier),
  });
  return graph;
}

export function ensureModule(
  graph: ModuleGraph,
  sources: Readonly<Record<string, Source>>,
  name: string,
): ModuleRecord {
  let record = graph.records.get(name);
  if (record === undefined) {
    const source = sources[name];
    if (source === undefined) throw new Error(`no module ${name}`);
    record = graph.module(name, tableOf(source), factoryOf(source));
    graph.records.set(name, record);
  }
  return record;
}

/** Loads, links and evaluates a module whose graph has no asynchronous modules. */
export function runNow(record: ModuleRecord): void {
  loadRequested(record);
  link(record);
  evaluateNow(record);
}
