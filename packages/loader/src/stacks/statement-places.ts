// What a probe of debug mode stands for, by what it says of itself: the file's id and the number of its statement. Places are those of the file as it was written:
// a probe is marked in the code with the place of its statement, which the source map has, for TypeScript too, whose table speaks of the lowered text.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type { CodeTable, StatementEntry } from '@turntable/transform';
import { lineIn, lineStarts } from '@turntable/transform/source-map';
import { idOf, type CodeLoader, type RunningCode } from '../code/code.ts';
import type { CodeKind } from '../code/transformer-port.ts';
import { detectFormat, formatOf, isTypeScript } from '../node/format.ts';
import { transformer } from '../code/transformer.ts';

export interface StatementPlace {
  /** As stacks have it. */
  readonly file: string;
  /** Lines and columns from 1 on. */
  readonly line: number;
  readonly column: number;
  /** Where it ends; of what lowering has made of something else in TypeScript, the end of its first line at most. */
  readonly endLine: number;
  readonly endColumn: number;
  /** The function it is in; empty for the file itself. */
  readonly function: string;
  readonly kind: StatementEntry['kind'];
  /** What the probe passes: the names, and which of them are boxes or cells. */
  readonly locals: readonly string[];
  readonly boxed: readonly boolean[];
  /** Of the function, among those of the file; -1 for the file itself, fields and static blocks. */
  readonly ordinal: number;
  /** The number of the function's first statement. */
  readonly first: number;
  /** Variables that the function has from around it. */
  readonly captures: readonly string[];
  /** Whether objects come into being there: it is in a constructor, or a field. */
  readonly isMaking: boolean;
  /** Whether its function can be suspended, at an `await` or a `yield`. */
  readonly isSuspendable: boolean;
}

interface Described {
  readonly name: string;
  readonly text: { readonly entry: Pick<RunningCode['entry'], 'code' | 'lowered'>; readonly source: string };
  readonly table: Pick<CodeTable, 'functions' | 'statements'>;
  readonly map: TraceMap;
  /** Where lines begin: of the code, of the file's text. */
  readonly starts: readonly number[];
  readonly written: readonly number[];
  readonly places: Map<number, StatementPlace>;
  /** First statements, by the ordinals of their functions. */
  readonly firsts: Map<number, number>;
}

export type StatementPlaces = (file: string, statement: number) => StatementPlace | undefined;

export function statementPlaces(code: CodeLoader): StatementPlaces {
  const known = new Map<string, Described>();

  function describedBy(id: string): Described | undefined {
    let found = known.get(id);
    if (found !== undefined) return found;
    for (const [name, running] of code.running) {
      if (idOf(running) !== id) continue;
      const table = code.described(running).table as unknown as Described['table'];
      found = {
        name,
        text: running,
        table,
        map: new TraceMap(code.mapOf(running) as never),
        starts: lineStarts(running.entry.code),
        written: lineStarts(running.source),
        places: new Map(),
        firsts: new Map(),
      };
      known.set(id, found);
      return found;
    }
    return undefined;
  }

  return (file, statement) => {
    const described = describedBy(file);
    const entry = described?.table.statements[statement];
    if (described === undefined || entry === undefined) return undefined;
    let place = described.places.get(statement);
    if (place === undefined) described.places.set(statement, (place = placeOf(described, file, statement, entry)));
    return place;
  };
}

/**
 * All of a file by its text, without running it: those that it has where it runs. Undefined where it is no code, or none that can be read.
 * @param settings what besides text and name decides how it is compiled
 */
export function statementsOf(
  filename: string,
  source: string,
  settings: string | undefined,
): StatementPlace[] | undefined {
  const format = formatOf(filename)?.format;
  if (format !== undefined && format !== 'module' && format !== 'commonjs') return undefined;
  try {
    const text = isTypeScript(filename) ? transformer.lower(source, filename, settings) : source;
    const kind: CodeKind = format ?? detectFormat(text);
    const made = transformer.transform(source, {
      path: filename,
      kind,
      settings,
      debug: true,
      isLenientAt: () => true,
    });
    const { code, mapText, source: lowered } = made;
    const table = made.table as unknown as Described['table'] & { readonly id: string };
    const described: Described = {
      name: filename,
      text: { entry: { code, lowered: lowered === source ? '' : lowered }, source },
      table,
      map: new TraceMap(transformer.readMap(mapText, code, source, filename) as never),
      starts: lineStarts(code),
      written: lineStarts(source),
      places: new Map(),
      firsts: new Map(),
    };
    return table.statements.map((entry, number) => placeOf(described, table.id, number, entry));
  } catch {
    return undefined;
  }
}

function placeOf(described: Described, id: string, statement: number, entry: StatementEntry): StatementPlace {
  const { name, text, table, written } = described;
  const { kind, locals, boxed, start, end } = entry;
  const fn = table.functions[entry.function];
  const isMaking = kind === 'field' || fn?.member?.kind === 'constructor';
  const about = {
    file: name,
    function: fn?.name ?? '',
    ordinal: entry.function,
    first: firstOf(described, entry.function),
    kind,
    locals,
    boxed,
    captures: fn?.captures ?? [],
    isMaking,
    isSuspendable: fn !== undefined && fn.step !== null,
  };
  const whole = text.entry.lowered === '' ? ([start, end] as const) : entry.written;
  if (whole !== null && whole !== undefined) {
    const [from, to] = [placeIn(written, whole[0]), placeIn(written, whole[1])];
    return { ...about, ...from, endLine: to.line, endColumn: to.column };
  }
  const from = mappedPlace(described, id, statement) ?? { line: 1, column: 1 };
  const length = Math.min(end - start, lineLength(text.source, written, from.line) - from.column + 1);
  return { ...about, ...from, endLine: from.line, endColumn: from.column + Math.max(0, length) };
}

function firstOf({ table, firsts }: Described, ordinal: number): number {
  if (firsts.size === 0)
    table.statements.forEach((entry, number) => {
      if (!firsts.has(entry.function)) firsts.set(entry.function, number);
    });
  return firsts.get(ordinal) ?? 0;
}

function mappedPlace(
  { text, map, starts }: Described,
  id: string,
  statement: number,
): { readonly line: number; readonly column: number } | undefined {
  const probe = `tt$h(${JSON.stringify(id)}, ${statement}`;
  const { code } = text.entry;
  let at = code.indexOf(probe);
  // Not that of statement 12 for 1.
  while (at !== -1 && /\d/.test(code.charAt(at + probe.length))) at = code.indexOf(probe, at + 1);
  if (at === -1) return undefined;
  const line = lineIn(starts, at);
  const found = originalPositionFor(map, { line: line + 1, column: at - (starts[line] as number) });
  return found.line === null ? undefined : { line: found.line, column: found.column + 1 };
}

function placeIn(starts: readonly number[], offset: number): { readonly line: number; readonly column: number } {
  const line = lineIn(starts, offset);
  return { line: line + 1, column: offset - (starts[line] as number) + 1 };
}

function lineLength(text: string, starts: readonly number[], line: number): number {
  return (starts[line] ?? text.length + 1) - 1 - (starts[line - 1] ?? 0);
}
