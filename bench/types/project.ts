// Generates a project of actors for the compiler: one class per module, with twenty methods of different parameters and
// results, and code that calls, tells and sends to the next class. The text is the same in every run.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const METHODS = 20;

/** Built declarations, as in an installed package: sources would be checked along with the project. */
const TYPES = fileURLToPath(new URL('../../packages/runtime/dist/types.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Module that the project imports: the real types, or names for `any`; `start` is the empty project. */
const LANES = {
  typed: `export type { FarRef, Spawn, Tell, Send } from ${JSON.stringify(TYPES)};
import type { actorMark, Spawn, Tell, Send } from ${JSON.stringify(TYPES)};
export declare abstract class Actor { declare readonly [actorMark]: true; }
export declare const spawn: Spawn, tell: Tell, send: Send;
`,
  any: `export type FarRef<T> = T extends never ? never : any;
export declare abstract class Actor {}
export declare const spawn: any, tell: any, send: any;
`,
  start: 'export {};\n',
} as const;

export type ProjectLane = keyof typeof LANES;

/** Methods, and the arguments of a call of each. `Root` is the first class. */
const METHOD_KINDS: readonly { method: string; ask: string }[] = [
  { method: 'NAME(n: number): number { return n; }', ask: '1' },
  { method: 'async NAME(name: string, n?: number): Promise<string> { return name + n; }', ask: "'a', 2" },
  { method: 'NAME(order: Order): Order { return order; }', ask: 'order' },
  {
    method:
      'async NAME(orders: readonly Order[]): Promise<Map<string, Order>> { return new Map(orders.map((o) => [o.id, o])); }',
    ask: '[order]',
  },
  { method: 'NAME(next: FarRef<Root>): FarRef<Root> { return next; }', ask: 'root' },
  {
    method: 'NAME(to: { root: FarRef<Root>; order: Order }[]): number { return to.length; }',
    ask: '[{ root, order }]',
  },
  { method: 'NAME(): this { return this; }', ask: '' },
  {
    method: 'NAME(...lines: Line[]): { total: number; lines: Line[] } { return { total: lines.length, lines }; }',
    ask: '...order.lines',
  },
  {
    method: "NAME(status: 'open' | 'paid' | 'sent' | undefined): boolean { return status === 'open'; }",
    ask: "'open'",
  },
  { method: 'async NAME(tree: Tree | null): Promise<Tree | null> { return tree; }', ask: 'null' },
];

function classText(ordinal: number, count: number): string {
  const name = `Actor${ordinal}`;
  const next = `Actor${(ordinal + 1) % count}`;
  const kindOf = (i: number): { method: string; ask: string } => METHOD_KINDS[(i + ordinal) % METHOD_KINDS.length]!;
  const methods = Array.from({ length: METHODS }, (_, i) => `  ${kindOf(i).method.replace('NAME', `method${i}`)}`);
  // The next class has the kinds in a different order.
  const askOf = (i: number): string => METHOD_KINDS[(i + ((ordinal + 1) % count)) % METHOD_KINDS.length]!.ask;
  const uses = Array.from({ length: METHODS }, (_, i) =>
    i % 4 === 3
      ? `    tell(next).method${i}(${askOf(i)});`
      : i % 4 === 2
        ? `    await send(next).method${i}(${askOf(i)});`
        : `    await next.method${i}(${askOf(i)});`,
  );
  return `import { Actor, send, spawn, tell, type FarRef } from './api.ts';
import { Actor0 as Root } from './Actor0.ts';
import { ${next} as Next } from './${next}.ts';
interface Line { sku: string; n: number }
interface Order { id: string; lines: Line[]; placed: Date }
interface Tree { left: Tree | null; right: Tree | null; order: Order }
export class ${name} extends Actor {
  readonly #next: FarRef<Next> | undefined;
  constructor(next?: FarRef<Next>) { super(); this.#next = next; }
${methods.join('\n')}
  async run(order: Order, root: FarRef<Root>): Promise<void> {
    const next = this.#next ?? spawn(Next);
${uses.join('\n')}
  }
}
`;
}

/** Creates the directory if necessary, writes the project and returns the path of its `tsconfig.json`. */
export function writeProject(directory: string, lane: ProjectLane, classes: number): string {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(directory, 'api.ts'), LANES[lane]);
  const count = lane === 'start' ? 0 : classes;
  for (let i = 0; i < count; i++) writeFileSync(join(directory, `Actor${i}.ts`), classText(i, count));
  const config = {
    extends: join(ROOT, 'tsconfig.base.json'),
    compilerOptions: {
      composite: false,
      customConditions: [],
      declaration: false,
      noEmit: true,
      rewriteRelativeImportExtensions: false,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: ['*.ts'],
  };
  const path = join(directory, 'tsconfig.json');
  writeFileSync(path, JSON.stringify(config));
  return path;
}
