// Random module graphs with cycles, top-level await and failures, evaluated by our records and by V8: the same events in the same
// order, ticks included.
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/modules/evaluate.ts';
import { link, loadRequested } from '../../src/modules/link.ts';
import { createGraph, ensureModule, type Source } from './module-graphs.ts';

export interface GraphNode {
  readonly requests: readonly number[];
  readonly awaits: boolean;
  readonly throws: boolean;
  readonly root: boolean;
}

const graphs: fc.Arbitrary<GraphNode[]> = fc.integer({ min: 1, max: 7 }).chain((size) =>
  fc.tuple(
    ...Array.from({ length: size }, (_, i) =>
      fc.record({
        requests: fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 3 }),
        awaits: fc.boolean(),
        throws: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
        root: i === 0 ? fc.constant(true) : fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
      }),
    ),
  ),
);

async function runOurs(nodes: readonly GraphNode[]): Promise<string[]> {
  const log: string[] = [];
  const sources: Record<string, Source> = {};
  nodes.forEach((node, i) => {
    const finish = (): void => {
      if (node.throws) throw new Error(String(i));
      log.push(`end ${i}`);
    };
    const requests = node.requests.map(String);
    sources[i] = node.awaits
      ? { requests, asynchronous: () => void log.push(`start ${i}`), evaluate: finish }
      : { requests, evaluate: () => (log.push(`start ${i}`), finish()) };
  });
  const graph = createGraph(sources);
  const roots = nodes.map((_, i) => i).filter((i) => nodes[i]?.root);
  for (const root of roots) {
    const record = ensureModule(graph, sources, String(root));
    loadRequested(record);
    link(record);
  }
  const ends = roots.map((root) =>
    (evaluate(ensureModule(graph, sources, String(root))) as Promise<unknown>).then(
      () => log.push(`evaluated ${root}`),
      (error: Error) => log.push(`failed ${root} ${error.message}`),
    ),
  );
  await Promise.all(ends);
  return log;
}

/**
 * `evaluate()` of node:vm adds ticks of its own, so ends are ordered among themselves only; and V8 before Node 26 rejected from
 * root to leaf, which the specification has since turned round.
 */
function split(log: readonly string[]): { code: string[]; ends: string[] } {
  const isCode = (line: string): boolean => line.startsWith('start') || line.startsWith('end');
  const ends = log.filter((line) => !isCode(line));
  return { code: log.filter(isCode), ends: Number.parseInt(process.versions.node, 10) < 26 ? ends.sort() : ends };
}

describe('evaluation of a module graph', () => {
  it("happens in the engine's order, tick for tick", async () => {
    const seed = Number(process.env['TURNTABLE_SEED'] ?? 20_261_121);
    const samples = fc.sample(graphs, { numRuns: Number(process.env['TURNTABLE_RUNS'] ?? 600), seed });
    const native = spawnSync(
      process.execPath,
      ['--experimental-vm-modules', '--no-warnings', new URL('native-graphs.ts', import.meta.url).pathname],
      { input: JSON.stringify(samples), encoding: 'utf8', maxBuffer: 1 << 28 },
    );
    expect(native.stderr).toBe('');
    const expected = JSON.parse(native.stdout) as string[][];
    for (const [i, nodes] of samples.entries()) {
      const ownLog = await runOurs(nodes);
      expect({ nodes, ...split(ownLog) }).toEqual({ nodes, ...split(expected[i] ?? []) });
    }
  });
});
