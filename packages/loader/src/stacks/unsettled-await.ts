// Where the program waits at its top level for what never comes. When Node has nothing left to do it says so ("Detected unsettled top-level await"), with
// the line that the engine knows: the entry point's shell, one line of ours. So before Node looks, that line gets a place in what was written.
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import type { AwaitingFrame, ModuleRecord, StackMapping } from '@turntable/core';
import type { CodeLoader } from '../code/code.ts';
import type { EntryPoint } from '../modules/entry-point.ts';
import type { ProgramModules } from '../modules/program-modules.ts';
import { lifetime } from '../realm/node-host.ts';
import { showElsewhere } from '../source-maps/provided-maps.ts';

type Modules = Pick<ProgramModules, 'entry' | 'graph'>;

/** An `await` at the top level of a module, counted from one. */
interface TopLevelAwait {
  /** The module's URL, and its text. */
  readonly name: string;
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

/** From now on Node's warning about an unsettled `await` of this thread's program shows its place as it was written. */
export function reportUnsettledAwaits(program: Modules, code: CodeLoader, mapping: StackMapping): void {
  lifetime.reportUnsettled({
    place: () => placeUnsettledAwait(program.entry, unsettledIn(program, code, mapping)),
    text: () => unsettledText(unsettledIn(program, code, mapping)),
  });
}

/** The first that keeps the entry point from its end. */
function unsettledIn({ entry, graph }: Modules, code: CodeLoader, mapping: StackMapping): TopLevelAwait | undefined {
  if (!isMainThread || entry.url === undefined || graph.records.get(entry.url)?.status !== 'evaluating-async')
    return undefined;
  for (const record of graph.records.values()) {
    const waits = awaitOf(record, code, mapping);
    if (waits !== undefined) return waits;
  }
  return undefined;
}

/** Where a module waits itself, not for what it imports. Nothing for one that was restored: its frame is in what it waits for. */
function awaitOf(record: ModuleRecord, code: CodeLoader, mapping: StackMapping): TopLevelAwait | undefined {
  if (record.status !== 'evaluating-async' || !record.suspends || record.pendingAsyncDependencies > 0) return undefined;
  const frame = record.body as AwaitingFrame['frame'] | undefined;
  if (frame === undefined) return undefined;
  const place = mapping.awaiting({ step: frame.step, pc: frame.pc, frame });
  const source = place === undefined ? undefined : code.running.get(place.file)?.source;
  if (place === undefined || source === undefined) return undefined;
  return { name: place.file, source, line: place.line, column: place.column };
}

function placeUnsettledAwait({ url }: EntryPoint, waits: TopLevelAwait | undefined): void {
  if (waits !== undefined && url?.startsWith('file:') === true) showElsewhere(fileURLToPath(url), waits);
}

function unsettledText(waits: TopLevelAwait | undefined): string | undefined {
  if (waits === undefined) return undefined;
  const { name, source, line, column } = waits;
  const written = source.split(/\r?\n/)[line - 1] ?? '';
  const caret = `${written.slice(0, column - 1).replaceAll(/[^\t]/g, ' ')}^`;
  return `Warning: Detected unsettled top-level await at ${name}:${line}\n${written}\n${caret}\n\n\n\n`;
}
