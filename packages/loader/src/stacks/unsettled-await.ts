// The location of a top-level await that never settles. When Node has nothing left to do it prints "Detected unsettled
// top-level await" with the location in V8, which is in the shell of the entry point. Before that, the location is
// mapped to the original `await`.
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import type { AwaitingFrame, ModuleRecord, StackMapping } from '@turntable/core';
import type { CodeLoader } from '../code/code-loader.ts';
import type { EntryPoint } from '../modules/entry-point.ts';
import type { ProgramModules } from '../modules/program-modules.ts';
import { processLifetime } from '../realm/node-host.ts';
import { provideLocation } from '../source-maps/provided-maps.ts';

type AwaitDeps = Pick<ProgramModules, 'entryPoint' | 'graph'>;

/** An `await` at the top level of a module; positions count from one. */
interface TopLevelAwait {
  /** URL of the module. */
  readonly name: string;
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** Lets Node's warning about an unsettled top-level await of this thread's program show the original location. */
export function installUnsettledAwaitReport(program: AwaitDeps, code: CodeLoader, mapping: StackMapping): void {
  processLifetime.setUnsettledAwait({
    mapLocation: () => mapUnsettledAwait(program.entryPoint, findUnsettledAwait(program, code, mapping)),
    warningText: () => unsettledWarning(findUnsettledAwait(program, code, mapping)),
  });
}

/** The first top-level await that keeps the entry point from completing. */
function findUnsettledAwait(
  { entryPoint: entry, graph }: AwaitDeps,
  code: CodeLoader,
  mapping: StackMapping,
): TopLevelAwait | undefined {
  if (!isMainThread || entry.url === undefined || graph.records.get(entry.url)?.status !== 'evaluating-async')
    return undefined;
  for (const record of graph.records.values()) {
    const topLevelAwait = topLevelAwaitOf(record, code, mapping);
    if (topLevelAwait !== undefined) return topLevelAwait;
  }
  return undefined;
}

/**
 * The `await` at which a module's own code waits; undefined if the module waits for imports. Also undefined for a
 * restored module, whose frame is not in `record`.
 */
function topLevelAwaitOf(record: ModuleRecord, code: CodeLoader, mapping: StackMapping): TopLevelAwait | undefined {
  if (record.status !== 'evaluating-async' || !record.isAsync || record.pendingAsyncDependencies > 0) return undefined;
  const frame = record.body as AwaitingFrame['frame'] | undefined;
  if (frame === undefined) return undefined;
  const location = mapping.awaitLocation({ step: frame.step, pc: frame.pc, frame });
  const source = location === undefined ? undefined : code.running.get(location.file)?.source;
  if (location === undefined || source === undefined) return undefined;
  return { name: location.file, source, line: location.line, column: location.column };
}

function mapUnsettledAwait({ url }: EntryPoint, topLevelAwait: TopLevelAwait | undefined): void {
  if (topLevelAwait !== undefined && url?.startsWith('file:') === true)
    provideLocation(fileURLToPath(url), topLevelAwait);
}

function unsettledWarning(topLevelAwait: TopLevelAwait | undefined): string | undefined {
  if (topLevelAwait === undefined) return undefined;
  const { name, source, line, column } = topLevelAwait;
  const sourceLine = source.split(/\r?\n/)[line - 1] ?? '';
  const caret = `${sourceLine.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')}^`;
  return `Warning: Detected unsettled top-level await at ${name}:${line}\n${sourceLine}\n${caret}\n\n\n\n`;
}
