// The locations of debug-mode probes, by file id and statement number. Positions are those in the original file: each
// probe is marked with the position of its statement in the code, which the source map contains, also for TypeScript,
// whose table refers to the lowered text.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type { CodeTable, StatementEntry } from '@turntable/transform';
import { lineAt, lineStarts } from '@turntable/transform/source-map';
import { codeIdOf, type CodeLoader, type RunningCode } from '../code/code-loader.ts';
import { formatOf } from '../node/file-format.ts';
import { localTransformService } from '../code/local-transform-service.ts';
import type { TransformService } from '../code/transform-service.ts';
import { transformer } from '../code/transformer.ts';
import { assignmentObstacles, type AssignmentObstacle } from './scope-variables.ts';

export interface ProbeLocation {
  /** Path or URL of the file, as in stacks. */
  readonly file: string;
  /** Lines and columns count from 1. */
  readonly line: number;
  readonly column: number;
  /** The end of the statement. For statements that lowering has generated, at most the end of the first line. */
  readonly endLine: number;
  readonly endColumn: number;
  /** Name of the enclosing function; empty for the file itself. */
  readonly function: string;
  readonly kind: StatementEntry['kind'];
  /** The variables that the probe passes: their names, and which of them are boxes or cells. */
  readonly locals: readonly string[];
  readonly boxed: readonly boolean[];
  /** Indexes of the variables that a frame from a snapshot does not have. */
  readonly kept: readonly number[];
  /** Ordinal of the function in the file; -1 for the file itself, fields and static blocks. */
  readonly functionOrdinal: number;
  /** Number of the function's first statement. */
  readonly firstStatement: number;
  /** Whether a call starts at the statement and does not report it; and whether it reports its end nevertheless. */
  readonly startsCall: boolean;
  readonly reportsEnd: boolean;
  /** Of a field whose initialiser runs before the constructor: the ordinal of the constructor; otherwise -1. */
  readonly constructorOrdinal: number;
  /** Variables that the function captures from enclosing scopes. */
  readonly captures: readonly string[];
  /** Whether the statement is part of the construction of an object: in a constructor, or a field. */
  readonly isInConstruction: boolean;
  /** Whether the function can be suspended, at an `await` or a `yield`. */
  readonly isSuspendable: boolean;
}

interface DescribedFile {
  readonly name: string;
  readonly sources: { readonly entry: Pick<RunningCode['entry'], 'code' | 'lowered'>; readonly source: string };
  readonly table: Pick<CodeTable, 'functions' | 'statements' | 'scopes'>;
  readonly map: TraceMap;
  /** Offsets of the lines: in the code, and in the original text. */
  readonly codeLineStarts: readonly number[];
  readonly sourceLineStarts: readonly number[];
  readonly locations: Map<number, ProbeLocation>;
  /** Number of each function's first statement, by function ordinal. */
  readonly firstStatements: Map<number, number>;
}

/** Probes by file id and statement number. Code created at run time has none. */
export interface Probes {
  readonly locateProbe: (file: string, statement: number) => ProbeLocation | undefined;
  /** Variables in scope at a statement that cannot be assigned, by name. */
  readonly assignmentObstacles: (file: string, statement: number) => ReadonlyMap<string, AssignmentObstacle>;
}

export function describeProbes(code: CodeLoader): Probes {
  const known = new Map<string, DescribedFile>();

  function describedFileOf(id: string): DescribedFile | undefined {
    let found = known.get(id);
    if (found !== undefined) return found;
    for (const [name, running] of code.running) {
      if (codeIdOf(running) !== id) continue;
      const table = code.describeRunning(running).table as unknown as DescribedFile['table'];
      found = {
        name,
        sources: running,
        table,
        map: new TraceMap(code.mapOf(running) as never),
        codeLineStarts: lineStarts(running.entry.code),
        sourceLineStarts: lineStarts(running.source),
        locations: new Map(),
        firstStatements: new Map(),
      };
      known.set(id, found);
      return found;
    }
    return undefined;
  }

  return {
    locateProbe(file, statement) {
      const describedFile = describedFileOf(file);
      const entry = describedFile?.table.statements[statement];
      if (describedFile === undefined || entry === undefined) return undefined;
      let location = describedFile.locations.get(statement);
      if (location === undefined)
        describedFile.locations.set(statement, (location = createProbeLocation(describedFile, file, statement, entry)));
      return location;
    },
    assignmentObstacles(file, statement) {
      const table = describedFileOf(file)?.table;
      const entry = table?.statements[statement];
      return table === undefined || entry === undefined ? new Map() : assignmentObstacles(entry.start, table);
    },
  };
}

/**
 * The probe locations of a file that need not have run, equal to its locations when it runs. Undefined if the file is
 * not code or cannot be transformed.
 * @param settings the settings that decide how the file is compiled
 */
export function probeLocationsOf(
  filename: string,
  source: string,
  settings: string = transformer.settings(filename),
  service: TransformService = localTransformService,
): ProbeLocation[] | undefined {
  const format = formatOf(filename)?.format;
  if (format !== undefined && format !== 'module' && format !== 'commonjs') return undefined;
  try {
    const entry = service.build({ path: filename, source, kind: format, settings, debug: true, isLenient: true });
    const table = JSON.parse(entry.table) as DescribedFile['table'] & { readonly id: string };
    const describedFile: DescribedFile = {
      name: filename,
      sources: { entry, source },
      table,
      map: new TraceMap(transformer.readMap(entry.map, entry.code, source, filename) as never),
      codeLineStarts: lineStarts(entry.code),
      sourceLineStarts: lineStarts(source),
      locations: new Map(),
      firstStatements: new Map(),
    };
    return table.statements.map((entry, number) => createProbeLocation(describedFile, table.id, number, entry));
  } catch {
    return undefined;
  }
}

function createProbeLocation(
  describedFile: DescribedFile,
  id: string,
  statement: number,
  entry: StatementEntry,
): ProbeLocation {
  const { name, sources: text, table, sourceLineStarts: written } = describedFile;
  const { kind, locals, boxed, kept = [], start, end } = entry;
  const fn = table.functions[entry.function];
  const firstStatement = firstStatementOf(describedFile, entry.function);
  const isMaking = kind === 'field' || fn?.member?.kind === 'constructor';
  const commonFields = {
    file: name,
    function: fn?.name ?? '',
    functionOrdinal: entry.function,
    firstStatement,
    startsCall: entry.startsCall === true,
    reportsEnd: entry.reportsEnd === true,
    constructorOrdinal: entry.constructorOrdinal ?? -1,
    kind,
    locals,
    boxed,
    kept,
    captures: fn?.captures ?? [],
    isInConstruction: isMaking,
    isSuspendable: fn !== undefined && fn.step !== null,
  };
  const span = text.entry.lowered === '' ? ([start, end] as const) : entry.originalRange;
  if (span !== null && span !== undefined) {
    const [startLocation, endLocation] = [locationAt(written, span[0]), locationAt(written, span[1])];
    return { ...commonFields, ...startLocation, endLine: endLocation.line, endColumn: endLocation.column };
  }
  const startLocation = mappedStart(describedFile, id, statement) ?? { line: 1, column: 1 };
  const length = Math.min(end - start, lineLength(text.source, written, startLocation.line) - startLocation.column + 1);
  return {
    ...commonFields,
    ...startLocation,
    endLine: startLocation.line,
    endColumn: startLocation.column + Math.max(0, length),
  };
}

function firstStatementOf({ table, firstStatements: firsts }: DescribedFile, ordinal: number): number {
  if (firsts.size === 0)
    table.statements.forEach((entry, number) => {
      if (!firsts.has(entry.function)) firsts.set(entry.function, number);
    });
  return firsts.get(ordinal) ?? 0;
}

function mappedStart(
  { sources: text, map, codeLineStarts: starts }: DescribedFile,
  id: string,
  statement: number,
): { readonly line: number; readonly column: number } | undefined {
  const probe = `tt$h(${JSON.stringify(id)}, ${statement}`;
  const { code } = text.entry;
  let probeIndex = code.indexOf(probe);
  // The statement's number must not be the beginning of a longer one.
  while (probeIndex !== -1 && /\d/.test(code.charAt(probeIndex + probe.length)))
    probeIndex = code.indexOf(probe, probeIndex + 1);
  if (probeIndex === -1) return undefined;
  const line = lineAt(starts, probeIndex);
  const found = originalPositionFor(map, { line: line + 1, column: probeIndex - (starts[line] as number) });
  return found.line === null ? undefined : { line: found.line, column: found.column + 1 };
}

function locationAt(starts: readonly number[], offset: number): { readonly line: number; readonly column: number } {
  const line = lineAt(starts, offset);
  return { line: line + 1, column: offset - (starts[line] as number) + 1 };
}

function lineLength(text: string, starts: readonly number[], line: number): number {
  return (starts[line] ?? text.length + 1) - 1 - (starts[line - 1] ?? 0);
}
