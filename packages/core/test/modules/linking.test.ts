import { describe, expect, it } from 'vitest';
import { namespaceOf } from '../../src/modules/export-resolution.ts';
import { link, loadRequested } from '../../src/modules/link.ts';
import type { ModuleGraph } from '../../src/modules/graph.ts';
import type { ModuleRecord } from '../../src/modules/record.ts';
import { createGraph, init, ensureModule, runNow, type Source } from './module-graphs.ts';

function linked(sources: Record<string, Source>, name: string): ModuleRecord {
  const graph = createGraph(sources);
  const record = ensureModule(graph, sources, name);
  loadRequested(record);
  link(record);
  return record;
}

const value = (name: string, content: unknown): Source => ({
  exports: [{ exported: name, cell: name }],
  evaluate: (record) => init(record.cell(name), content),
});

describe('linking', () => {
  it('gives an importer the cell of the exporter', () => {
    const record = linked(
      { a: { requests: ['b'], imports: [{ request: 0, name: 'x', local: 'x' }] }, b: value('x', 1) },
      'a',
    );
    expect(record.import(0)).toBe(record.loadedModules[0]?.cell('x'));
  });

  it('follows renamed re-exports and stars to one cell', () => {
    const record = linked(
      {
        a: { requests: ['b'], imports: [{ request: 0, name: 'y', local: 'y' }] },
        b: { requests: ['c'], exports: [{ exported: null, request: 0 }] },
        c: { requests: ['d'], exports: [{ exported: 'y', request: 0, name: 'x' }] },
        d: value('x', 1),
      },
      'a',
    );
    expect(record.import(0)).toBe((record.graph as ModuleGraph).records.get('d')?.cell('x'));
  });

  it('initialises exported functions of a cycle before any evaluation', () => {
    const log: unknown[] = [];
    const sources: Record<string, Source> = {
      a: {
        requests: ['b'],
        exports: [{ exported: 'f', cell: 'f' }],
        instantiate: (record) => init(record.cell('f'), () => 'called'),
      },
      b: {
        requests: ['a'],
        imports: [{ request: 0, name: 'f', local: 'f' }],
        evaluate: (record) => log.push((record.import(0).v as () => string)()),
      },
    };
    const graph = createGraph(sources);
    runNow(ensureModule(graph, sources, 'a'));
    expect(log).toEqual(['called']);
  });

  it('refuses a name that is not exported, and can be retried', () => {
    const sources: Record<string, Source> = {
      a: { requests: ['b'], imports: [{ request: 0, name: 'x', local: 'x' }] },
      b: {},
    };
    const graph = createGraph(sources);
    const record = ensureModule(graph, sources, 'a');
    for (let i = 0; i < 2; i++) {
      expect(() => runNow(record)).toThrow("The requested module 'b' does not provide an export named 'x'");
      expect(record.status).toBe('unlinked');
    }
  });

  it('lets a static member of a namespace be absent', () => {
    const record = linked(
      { a: { requests: ['b'], imports: [{ request: 0, name: 'x', local: 'x', optional: true }] }, b: {} },
      'a',
    );
    expect(record.import(0).v).toBe(undefined);
  });

  it('refuses a name that two stars resolve differently, and omits it from the namespace', () => {
    const sources: Record<string, Source> = {
      s: {
        requests: ['b', 'c'],
        exports: [
          { exported: null, request: 0 },
          { exported: null, request: 1 },
        ],
      },
      b: value('x', 1),
      c: { ...value('x', 2), requests: [] },
      d: value('only', 3),
    };
    expect(() =>
      linked({ ...sources, a: { requests: ['s'], imports: [{ request: 0, name: 'x', local: 'x' }] } }, 'a'),
    ).toThrow("The requested module 's' contains conflicting star exports for name 'x'");
    expect(Object.keys(namespaceOf(linked(sources, 's')))).toEqual([]);
  });

  it('accepts a name that two stars resolve to the same binding', () => {
    const record = linked(
      {
        a: { requests: ['s'], imports: [{ request: 0, name: 'x', local: 'x' }] },
        s: {
          requests: ['b', 'c'],
          exports: [
            { exported: null, request: 0 },
            { exported: null, request: 1 },
          ],
        },
        b: { requests: ['d'], exports: [{ exported: 'x', request: 0, name: 'x' }] },
        c: { requests: ['d'], exports: [{ exported: null, request: 0 }] },
        d: value('x', 1),
      },
      'a',
    );
    expect(record.import(0)).toBe((record.graph as ModuleGraph).records.get('d')?.cell('x'));
  });

  it('refuses re-exports in a cycle', () => {
    const sources: Record<string, Source> = {
      a: { requests: ['b'], exports: [{ exported: 'x', request: 0, name: 'x' }] },
      b: { requests: ['a'], exports: [{ exported: 'x', request: 0, name: 'x' }] },
    };
    expect(() => linked(sources, 'a')).toThrow(SyntaxError);
  });

  it('instantiates a module once when two graphs share it', () => {
    let count = 0;
    const sources: Record<string, Source> = {
      a: { requests: ['c'] },
      b: { requests: ['c'] },
      c: { instantiate: () => count++ },
    };
    const graph = createGraph(sources);
    runNow(ensureModule(graph, sources, 'a'));
    runNow(ensureModule(graph, sources, 'b'));
    expect(count).toBe(1);
  });
});
