// A snapshot may fall between any two turns, also while modules are being evaluated: the records alone must suffice to resume.
import { describe, expect, it } from 'vitest';
import { evaluate, moduleEndStep } from '../../src/modules/evaluate.ts';
import type { ModuleGraph } from '../../src/modules/graph.ts';
import { namespaceOf } from '../../src/modules/export-resolution.ts';
import { link, loadRequested } from '../../src/modules/link.ts';
import { connectModules, readContents, readSkeleton, writeContents } from '../../src/modules/module-state.ts';
import { createGraph, init, ensureModule, runNow, type Source } from './module-graphs.ts';

function sourcesWith(log: string[], configuration: Promise<unknown>): Record<string, Source> {
  const logs = (name: string) => () => void log.push(name);
  return {
    server: {
      requests: ['routes', 'config', 'late'],
      imports: [{ request: 1, name: 'port', local: 'port' }],
      evaluate: (record) => log.push(`server on ${record.import(0).v as number}`),
    },
    routes: {
      evaluate: logs('routes'),
      exports: [{ exported: 'hoisted', cell: 'hoisted' }],
      instantiate: (record) => init(record.cell('hoisted'), 1),
    },
    config: {
      requests: ['base'],
      exports: [{ exported: 'port', cell: 'port' }],
      asynchronous: () => (log.push('config waits'), configuration),
      evaluate: (record) => (log.push('config'), init(record.cell('port'), 80)),
    },
    base: { evaluate: logs('base'), exports: [{ exported: 'x', cell: 'x' }] },
    late: { requests: ['config'], evaluate: logs('late') },
  };
}

/** The state of a graph's modules, through text, and the values beside it; `give` puts it into another graph. */
function captureModules(graph: ModuleGraph): (copy: ModuleGraph, sources: Record<string, Source>) => void {
  const records = [...graph.records.values()];
  const skeletons = JSON.stringify(records.map((record) => readSkeleton(record, (each) => records.indexOf(each))));
  const contents = records.map(readContents);
  return (copy, sources) => {
    const copies = records.map((record) => ensureModule(copy, sources, record.key));
    connectModules(JSON.parse(skeletons) as ReturnType<typeof readSkeleton>[], copies);
    copies.forEach((record, i) => {
      const [failure, , ...rest] = contents[i] as unknown[];
      writeContents(record, [failure, undefined, ...rest]);
    });
    copy.asyncOrder = graph.asyncOrder;
  };
}

/** The same modules in another graph, in the state in which these are; what waits for a frame waits for `configEnd`. */
function copyOf(graph: ModuleGraph, sources: Record<string, Source>, configEnd: object): ModuleGraph {
  const copy = createGraph(sources);
  captureModules(graph)(copy, sources);
  const waiting = copy.realm.createFrame(moduleEndStep);
  waiting.s0 = ensureModule(copy, sources, 'config');
  waiting.s1 = configEnd;
  copy.realm.async(waiting);
  return copy;
}

describe('a graph captured while a module waits', () => {
  it('resumes in another realm with exactly the remaining evaluations', async () => {
    const log: string[] = [];
    const originalGraph = createGraph(sourcesWith(log, new Promise(() => {})));
    const originalSources = sourcesWith(log, new Promise(() => {}));
    const server = ensureModule(originalGraph, originalSources, 'server');
    loadRequested(server);
    link(server);
    evaluate(server);
    expect(log).toEqual(['routes', 'base', 'config waits']);

    const copyLog: string[] = [];
    const sources = sourcesWith(copyLog, Promise.resolve());
    let configEnd = (): void => {};
    const copy = copyOf(originalGraph, sources, new Promise<void>((resolve) => (configEnd = resolve)));
    // The frame of config itself, restored by others, ends there.
    init(ensureModule(copy, sources, 'config').cell('port'), 8080);
    configEnd();
    await new Promise((resolve) => setImmediate(resolve));
    expect(copyLog).toEqual(['late', 'server on 8080']);
    expect([...copy.records.values()].filter(({ status }) => status !== 'evaluated')).toEqual([]);
    expect(log).toEqual(['routes', 'base', 'config waits']);
  });

  it('keeps exported values and failures of evaluated modules', () => {
    const sources: Record<string, Source> = {
      a: { requests: ['b'], evaluate: () => {} },
      b: { exports: [{ exported: 'x', cell: 'x' }], evaluate: (record) => init(record.cell('x'), { deep: 1 }) },
      c: {
        evaluate: () => {
          throw new RangeError('once');
        },
      },
    };
    const graph = createGraph(sources);
    runNow(ensureModule(graph, sources, 'a'));
    expect(() => runNow(ensureModule(graph, sources, 'c'))).toThrow('once');
    const copySources = {
      ...sources,
      b: {
        ...sources['b'],
        evaluate: () => {
          throw new Error('evaluated twice');
        },
      },
    };
    const copy = createGraph(copySources);
    captureModules(graph)(copy, copySources);
    expect(namespaceOf(ensureModule(copy, copySources, 'b'))).toMatchObject({ x: { deep: 1 } });
    runNow(ensureModule(copy, copySources, 'a'));
    expect(() => runNow(ensureModule(copy, copySources, 'c'))).toThrow(RangeError);
  });
});
