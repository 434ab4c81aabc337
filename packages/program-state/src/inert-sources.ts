// Names of functions, classes and variables for readers of states: from the tables of the transform, which are built
// from the sources again or taken from the cache. Without the source there are no names.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { lineAt, lineStarts } from '@turntable/transform/source-map';
import {
  CodeCache,
  CodeLoader,
  type DescribedCode,
  codeHash,
  createTransformer,
  localTransformService,
  type RecordedSources,
  type TransformService,
} from '@turntable/loader';
import type { ClassSource, CodeSources, FunctionSource } from '@turntable/heap/inert';
import type { CodeHead, RecordHead } from './state-container.ts';

/** The part of the transform's table that has names. */
interface CodeNameTable {
  readonly functions: readonly (Omit<FunctionSource, 'file' | 'line' | 'step'> & {
    readonly start: number;
    readonly step: {
      readonly slots: readonly string[];
      readonly points: readonly {
        readonly at: number;
        readonly live: readonly number[];
        readonly names?: readonly string[];
      }[];
    } | null;
  })[];
  readonly classes: readonly (Omit<ClassSource, 'file' | 'line'> & { readonly start: number })[];
  readonly scopes: readonly { readonly variables: readonly { readonly name: string; readonly storage: string }[] }[];
  readonly module: { readonly variables: readonly string[] };
}

interface FileSource {
  readonly file: string;
  readonly table: CodeNameTable;
  readonly lineLookup: LineLookup;
  readonly sharedVariables: ReadonlySet<string>;
}

/** Lines of the source file, from 1; undefined where they are unknown. */
interface LineLookup {
  functionLine(ordinal: number): number | undefined;
  classLine(ordinal: number): number | undefined;
  /**
   * The line of a suspension point.
   * @param index among the function's suspension points
   * @param offset in the source of the table
   */
  suspensionLine(ordinal: number, index: number, offset: number): number | undefined;
}

/** Returns the known sources of a module's file, oldest first, by the module's URL. */
export type ModuleSources = (url: string) => Iterable<string>;

/** Ordinal that denotes the top-level code of a module. */
const TOP_LEVEL_ORDINAL = -1;

export interface InertOptions {
  /** The directory of transformed code; `false` for none. */
  readonly cache?: string | false;
  /** Default: in this process. */
  readonly transforms?: TransformService;
}

export class InertSources {
  readonly #code: CodeLoader;
  readonly #transforms: TransformService;
  readonly #sourcesOf: ModuleSources;
  /** The settings with which each file was compiled. */
  readonly #settingsByFile = new Map<string, string>();
  readonly #fileSources = new Map<string, FileSource | undefined>();

  constructor(sourcesOf: ModuleSources, { cache = false, transforms = localTransformService }: InertOptions = {}) {
    const recorded: RecordedSources = {
      sourceOf: () => undefined,
      settingsOf: (filename) => this.#settingsByFile.get(filename),
      has: () => false,
      hasHash: () => false,
      toolOutputOf: () => undefined,
    };
    const codeCache = cache === false ? undefined : new CodeCache(cache);
    this.#code = new CodeLoader(createTransformer(transforms), codeCache, { recordedSources: recorded });
    this.#transforms = transforms;
    this.#sourcesOf = sourcesOf;
  }

  /** @param recordAt the record of a module's stand-in */
  codeSources(recordAt: (module: unknown) => RecordHead | undefined): CodeSources {
    const fileOf = (module: unknown): FileSource | undefined => {
      const record = recordAt(module);
      return record === undefined ? undefined : this.#fileSource(record);
    };
    return {
      functionAt(module, ordinal) {
        const fileSource = fileOf(module);
        if (fileSource !== undefined && ordinal === TOP_LEVEL_ORDINAL)
          return { name: 'the top level', captures: [], boxed: [], file: fileSource.file, line: 1 };
        const tableEntry = fileSource?.table.functions[ordinal];
        if (fileSource === undefined || tableEntry === undefined) return undefined;
        const { name, captures, boxed, step } = tableEntry;
        const points = step?.points.map(({ at: offset, live: liveSlots, names }, i) => ({
          line: fileSource.lineLookup.suspensionLine(ordinal, i, offset),
          live: liveSlots,
          names,
        }));
        return {
          name,
          captures,
          boxed,
          file: fileSource.file,
          line: fileSource.lineLookup.functionLine(ordinal),
          ...(step === null || points === undefined ? {} : { step: { slots: step.slots, points } }),
        };
      },
      classAt(module, ordinal) {
        const fileSource = fileOf(module);
        const tableEntry = fileSource?.table.classes[ordinal];
        if (fileSource === undefined || tableEntry === undefined) return undefined;
        const { name, captures, fields, statics } = tableEntry;
        return {
          name,
          captures,
          fields,
          statics,
          file: fileSource.file,
          line: fileSource.lineLookup.classLine(ordinal),
        };
      },
      isSharedVariable: (module, name) => fileOf(module)?.sharedVariables.has(name) === true,
    };
  }

  /** Names of the variables in a module's top scope, in the order of the module's contents in a state. */
  topScopeVariables(record: RecordHead): readonly string[] {
    return this.#fileSource(record)?.table.module.variables ?? [];
  }

  #fileSource(record: RecordHead): FileSource | undefined {
    const { key, code } = record;
    if (code === null) return undefined;
    const name = `${code.hash}\n${key}\n${code.id ?? ''}`;
    if (!this.#fileSources.has(name)) this.#fileSources.set(name, this.#describe(record));
    return this.#fileSources.get(name);
  }

  /** The source that was run, if it is known; otherwise the last source of the file. */
  #findSource(url: string, { settings, hash }: CodeHead): string | undefined {
    let latest: string | undefined;
    for (const source of this.#sourcesOf(url)) if (codeHash(settings, (latest = source)) === hash) return source;
    return latest;
  }

  #describe({ key, filename, code }: RecordHead): FileSource | undefined {
    if (code === null) return undefined;
    const [url = ''] = key.split('\n');
    const source = code.source ?? this.#findSource(url, code);
    if (source === undefined) return undefined;
    const { kind } = code;
    try {
      const file = filename ?? url;
      if (kind === 'function' || kind === 'script') {
        const options = { path: file, kind, prefix: '$$', id: 'f0', lenient: true } as const;
        const { table } = this.#transforms.buildRuntimeCode({ source, options, debug: false });
        return createFileSource('made at run time', table as unknown as CodeNameTable, NO_LINES);
      }
      this.#settingsByFile.set(file, code.settings);
      const described = this.#code.describe(file, source, kind);
      const table = described.table as unknown as CodeNameTable;
      return createFileSource(
        file,
        table,
        described.source === source ? createLineLookup(source, table) : createMappedLineLookup(described),
      );
    } catch {
      // This version cannot parse the source.
      return undefined;
    }
  }
}

function createFileSource(file: string, table: CodeNameTable, lines: LineLookup): FileSource {
  const variables = table.scopes.flatMap((scope) => scope.variables);
  const shared = new Set(variables.flatMap(({ name, storage }) => (storage === 'local' ? [] : [name])));
  return { file, table, lineLookup: lines, sharedVariables: shared };
}

const noLine = (): undefined => undefined;
const NO_LINES: LineLookup = { functionLine: noLine, classLine: noLine, suspensionLine: noLine };

/** Creates a lookup for a source that the table's positions refer to. */
function createLineLookup(source: string, { functions, classes }: CodeNameTable): LineLookup {
  const startOffsets = lineStarts(source);
  const lineOfOffset = (offset: number | undefined): number | undefined =>
    offset === undefined ? undefined : lineAt(startOffsets, offset) + 1;
  return {
    functionLine: (ordinal) => lineOfOffset(functions[ordinal]?.start),
    classLine: (ordinal) => lineOfOffset(classes[ordinal]?.start),
    suspensionLine: (_ordinal, _index, offset) => lineOfOffset(offset),
  };
}

/** Creates a lookup for lowered code, whose functions and classes are found by the markers in the code. */
function createMappedLineLookup({ code, sourceMap: map }: DescribedCode): LineLookup {
  const markers = (pattern: RegExp): Map<number, number> => {
    const offsetByOrdinal = new Map<number, number>();
    for (const match of code.matchAll(pattern)) {
      const ordinal = Number(match[1]);
      if (!offsetByOrdinal.has(ordinal)) offsetByOrdinal.set(ordinal, match.index);
    }
    return offsetByOrdinal;
  };
  const functions = markers(/\/\*@[\w$]+:(\d+)/g);
  const steps = markers(/\/\*@[\w$]+:(\d+)!/g);
  const classes = markers(/\bdefineClass\(\$\$\w*, (\d+)/g);
  const startOffsets = lineStarts(code);
  let trace: TraceMap | undefined;
  const lineOfOffset = (offset: number | undefined): number | undefined => {
    if (offset === undefined) return undefined;
    trace ??= new TraceMap(map() as never);
    const line = lineAt(startOffsets, offset);
    return (
      originalPositionFor(trace, { line: line + 1, column: offset - (startOffsets[line] as number) }).line ?? undefined
    );
  };
  return {
    functionLine: (ordinal) => lineOfOffset(functions.get(ordinal)),
    classLine: (ordinal) => lineOfOffset(classes.get(ordinal)),
    suspensionLine: (ordinal, index) => lineOfOffset(suspensionOffset(code, steps.get(ordinal), index + 1)),
  };
}

/**
 * The offset in a step function, from `start` on, of the suspension point `number`: `$$await($$F, 1, …`, `$$F.pc = 1`.
 */
function suspensionOffset(code: string, start: number | undefined, number: number): number | undefined {
  if (start === undefined) return undefined;
  const pattern = new RegExp(String.raw`\$F(?:, |\.pc = )${number}\b`, 'g');
  pattern.lastIndex = start;
  return pattern.exec(code)?.index;
}
