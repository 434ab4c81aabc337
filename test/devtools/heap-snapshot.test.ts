// The heap snapshot of a position, in the format that V8 writes: nodes with the names of classes, and what refers to
// them.
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { CdpClient } from './cdp-client.ts';
import { serveRecorded } from './devtools-server.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const { clientAtStart } = serveRecorded(join(import.meta.dirname, 'programs/orders.ts'));

interface HeapFile {
  readonly snapshot: {
    readonly meta: Readonly<Record<'node_fields' | 'edge_fields', readonly string[]>> & {
      readonly node_types: readonly [readonly string[], ...unknown[]];
    };
    readonly node_count: number;
    readonly edge_count: number;
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

class Heap {
  readonly #file: HeapFile;
  /** Names of the nodes, without texts and functions. */
  readonly objects: readonly string[];
  readonly strings: readonly string[];
  /** References as `owner.name -> target`, functions as `name()`, texts in quotes. */
  readonly references: readonly string[];

  constructor(file: HeapFile) {
    this.#file = file;
    const nodes = Array.from({ length: file.snapshot.node_count }, (_, i) => i);
    this.objects = nodes.filter((each) => this.#typeOf(each) === 'object').map((each) => this.#nameOf(each));
    this.strings = nodes.filter((each) => this.#typeOf(each) === 'string').map((each) => this.#nameOf(each));
    const { node_fields: nodeFields, edge_fields: edgeFields } = file.snapshot.meta;
    let edge = 0;
    this.references = nodes.flatMap((node) =>
      Array.from({ length: this.#field(node, 'edge_count') }, () => {
        const [, name = 0, target = 0] = file.edges.slice(edge * edgeFields.length, ++edge * edgeFields.length);
        return `${this.#labelOf(node)}.${file.strings[name]} -> ${this.#labelOf(target / nodeFields.length)}`;
      }),
    );
    expect(edge).toBe(file.snapshot.edge_count);
  }

  #field(node: number, name: string): number {
    const fields = this.#file.snapshot.meta.node_fields;
    return this.#file.nodes[node * fields.length + fields.indexOf(name)] ?? 0;
  }

  #typeOf(node: number): string | undefined {
    return this.#file.snapshot.meta.node_types[0][this.#field(node, 'type')];
  }

  #nameOf(node: number): string {
    return this.#file.strings[this.#field(node, 'name')]?.replace(/^file:.*\//, '') ?? '';
  }

  #labelOf(node: number): string {
    const name = this.#nameOf(node);
    const type = this.#typeOf(node);
    return type === 'closure' ? `${name}()` : type === 'string' ? `'${name}'` : name;
  }

  count(name: string): number {
    return this.objects.filter((each) => each === name).length;
  }

  retainersOf(name: string): string[] {
    return this.references.filter((each) => each.endsWith(` -> ${name}`)).map((each) => each.split(' -> ')[0] ?? '');
  }
}

async function takeSnapshot(client: CdpClient): Promise<Heap> {
  const earlier = client.log.received.length;
  await client.request('HeapProfiler.takeHeapSnapshot', { reportProgress: true });
  const chunks = client.log.received
    .slice(earlier)
    .filter(({ method }) => method === 'HeapProfiler.addHeapSnapshotChunk')
    .map(({ params }) => (params as { readonly chunk: string }).chunk);
  return new Heap(JSON.parse(chunks.join('')) as HeapFile);
}

test('a heap snapshot has the objects of the position, with their classes and what refers to them', async () => {
  const client = await clientAtStart();
  const { breakpointId } = await client.request('Debugger.setBreakpointByUrl', {
    urlRegex: 'orders\\.ts$',
    lineNumber: 43,
  });
  await client.runToPause('Debugger.resume');
  const first = await takeSnapshot(client);
  expect([first.count('Order'), first.count('Shop'), first.count('Map')]).toEqual([1, 1, 1]);
  expect(first.retainersOf('Order').toSorted()).toEqual(['Map."Ann"', 'variables of the statement.order']);
  expect(first.retainersOf('Shop')).toEqual(['orders.ts.shop']);
  expect(first.references).toContain('Order.__proto__ -> Order.prototype');
  expect(first.references).toContain("Map.key -> 'Ann'");
  await client.request('Debugger.removeBreakpoint', { breakpointId });
  await client.runToPause('Debugger.resume');
  const last = await takeSnapshot(client);
  expect(last.count('Order')).toBe(2);
  expect(last.retainersOf('Order').toSorted()).toEqual(['Map."Ann"', 'Map."Bob"', 'orders.ts.ann', 'orders.ts.bob']);
  expect(last.references).toContain("Object.password -> '[redacted]'");
  expect(last.strings.join()).not.toContain('correct horse');
});
