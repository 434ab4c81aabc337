// Runs module graphs given on standard input as JSON in the engine's own module system and prints what happened in which order.
// Started by evaluation-order.test.ts with --experimental-vm-modules; see GraphNode there.
import { SourceTextModule, createContext, type Module } from 'node:vm';
import type { GraphNode } from './evaluation-order.test.ts';

const graphs = JSON.parse(await new Response(process.stdin as unknown as ReadableStream).text()) as GraphNode[][];
process.on('unhandledRejection', () => {});

const results: string[][] = [];
for (const nodes of graphs) {
  const log: string[] = [];
  const context = createContext({ log: (line: string) => log.push(line) });
  const modules = nodes.map((node, i) => {
    const lines = node.requests.map((target) => `import '${target}';`);
    lines.push(`log('start ${i}');`);
    if (node.awaits) lines.push('await undefined;');
    if (node.throws) lines.push(`throw new Error('${i}');`);
    lines.push(`log('end ${i}');`);
    return new SourceTextModule(lines.join('\n'), { identifier: String(i), context });
  });
  const roots = nodes.map((_, i) => i).filter((i) => nodes[i]?.root);
  for (const root of roots) {
    const module = modules[root];
    if (module?.status === 'unlinked') await module.link((specifier) => modules[Number(specifier)] as Module);
  }
  const ends = roots.map((root) =>
    modules[root]?.evaluate().then(
      () => log.push(`evaluated ${root}`),
      (error: Error) => log.push(`failed ${root} ${error.message}`),
    ),
  );
  await Promise.all(ends);
  results.push(log);
}
process.stdout.write(JSON.stringify(results));
