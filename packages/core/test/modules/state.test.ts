// A snapshot may fall between any two turns, also while modules are being evaluated: the rest must go on from the records alone.
import { describe, expect, it } from 'vitest';
import { evaluate, settled } from '../../src/modules/evaluate.ts';
import type { ModuleGraph } from '../../src/modules/graph.ts';
import { namespaceOf } from '../../src/modules/exported-names.ts';
import { link, loadRequested } from '../../src/modules/link.ts';
import { connectModules, readContents, readSkeleton, writeContents } from '../../src/modules/state.ts';
import { graphOf, init, named, runNow, type Source } from './programs.ts';

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
function takenApart(graph: ModuleGraph): (copy: ModuleGraph, sources: Record<string, Source>) => void {
  const records = [...graph.records.values()];
  const skeletons = JSON.stringify(records.map((record) => readSkeleton(record, (each) => records.indexOf(each))));
  const contents = records.map(readContents);
  return (copy, sources) => {
    const copies = records.map((record) => named(copy, sources, record.key));
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
  const copy = graphOf(sources);
  takenApart(graph)(copy, sources);
  const waiting = copy.realm.createFrame(settled);
  waiting.s0 = named(copy, sources, 'config');
  waiting.s1 = configEnd;
  copy.realm.async(waiting);
  return copy;
}

describe('a graph that is taken apart while a module waits', () => {
  it('goes on elsewhere with exactly what was left to do', async () => {
    const log: string[] = [];
    const neverHere = graphOf(sourcesWith(log, new Promise(() => {})));
    const original = sourcesWith(log, new Promise(() => {}));
    const server = named(neverHere, original, 'server');
    loadRequested(server);
    link(server);
    evaluate(server);
    expect(log).toEqual(['routes', 'base', 'config waits']);

    const elsewhere: string[] = [];
    const sources = sourcesWith(elsewhere, Promise.resolve());
    let configEnd = (): void => {};
    const copy = copyOf(neverHere, sources, new Promise<void>((resolve) => (configEnd = resolve)));
    // The frame of config itself, restored by others, ends there.
    init(named(copy, sources, 'config').cell('port'), 8080);
    configEnd();
    await new Promise((resolve) => setImmediate(resolve));
    expect(elsewhere).toEqual(['late', 'server on 8080']);
    expect([...copy.records.values()].filter(({ status }) => status !== 'evaluated')).toEqual([]);
    expect(log).toEqual(['routes', 'base', 'config waits']);
  });

  it('keeps the values of what was evaluated, and failures', () => {
    const sources: Record<string, Source> = {
      a: { requests: ['b'], evaluate: () => {} },
      b: { exports: [{ exported: 'x', cell: 'x' }], evaluate: (record) => init(record.cell('x'), { deep: 1 }) },
      c: {
        evaluate: () => {
          throw new RangeError('once');
        },
      },
    };
    const graph = graphOf(sources);
    runNow(named(graph, sources, 'a'));
    expect(() => runNow(named(graph, sources, 'c'))).toThrow('once');
    const inCopy = {
      ...sources,
      b: {
        ...sources['b'],
        evaluate: () => {
          throw new Error('evaluated twice');
        },
      },
    };
    const copy = graphOf(inCopy);
    takenApart(graph)(copy, inCopy);
    expect(namespaceOf(named(copy, inCopy, 'b'))).toMatchObject({ x: { deep: 1 } });
    runNow(named(copy, inCopy, 'a'));
    expect(() => runNow(named(copy, inCopy, 'c'))).toThrow(RangeError);
  });
});
