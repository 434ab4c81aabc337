// What the texts of a program's files say of its functions, classes and variables, for whoever looks at a state without running it: names come
// from the transform's tables, which are made of the texts again, or taken from the cache. Where a text is missing, nothing is said.
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { lineIn, lineStarts } from '@turntable/transform/source-map';
import {
  CodeCache,
  CodeLoader,
  type DescribedCode,
  hashOfCode,
  type RecordedTexts,
  runtimeTransform,
  transformer,
} from '@turntable/loader';
import type { ClassText, CodeTexts, FunctionText } from '@turntable/heap/inert';
import type { CodeHead, RecordHead } from './container.ts';

/** The part of the transform's table that tells names. */
interface NameTable {
  readonly functions: readonly (Omit<FunctionText, 'file' | 'line' | 'step'> & {
    readonly start: number;
    readonly step: {
      readonly slots: readonly string[];
      readonly points: readonly { readonly at: number; readonly live: readonly number[] }[];
    } | null;
  })[];
  readonly classes: readonly (Omit<ClassText, 'file' | 'line'> & { readonly start: number })[];
  readonly scopes: readonly { readonly variables: readonly { readonly name: string; readonly storage: string }[] }[];
  readonly module: { readonly variables: readonly string[] };
}

interface FileText {
  readonly file: string;
  readonly table: NameTable;
  readonly lines: Lines;
  readonly shared: ReadonlySet<string>;
}

/** Lines of the file, from 1 on, where they are known. */
interface Lines {
  ofFunction(ordinal: number): number | undefined;
  ofClass(ordinal: number): number | undefined;
  /** Of a place where a function waits: which of its places, from 0 on, and where that is in the text of the table. */
  ofPoint(ordinal: number, index: number, offset: number): number | undefined;
}

/** The texts that a module which stands in a file had, by its URL. */
export type TextsOf = (url: string) => Iterable<string>;

/** The number of a module's own evaluation. */
const TOP_LEVEL = -1;

export class InertTexts {
  readonly #code: CodeLoader;
  readonly #textsOf: TextsOf;
  /** With what each file was compiled. */
  readonly #settings = new Map<string, string>();
  readonly #files = new Map<string, FileText | undefined>();

  /** `cache`: where transformed code is kept. */
  constructor(cache: string | false, textsOf: TextsOf) {
    const recorded: RecordedTexts = {
      textOf: () => undefined,
      settingsOf: (filename) => this.#settings.get(filename),
      has: () => false,
      hasHash: () => false,
      madeOf: () => undefined,
    };
    this.#code = new CodeLoader(transformer, cache === false ? undefined : new CodeCache(cache), { recorded });
    this.#textsOf = textsOf;
  }

  /** `recordAt`: what a stand-in for a module stands for. */
  of(recordAt: (module: unknown) => RecordHead | undefined): CodeTexts {
    const fileOf = (module: unknown): FileText | undefined => {
      const record = recordAt(module);
      return record === undefined ? undefined : this.#file(record);
    };
    return {
      functionAt(module, ordinal) {
        const file = fileOf(module);
        if (file !== undefined && ordinal === TOP_LEVEL)
          return { name: 'the top level', captures: [], boxed: [], file: file.file, line: 1 };
        const entry = file?.table.functions[ordinal];
        if (file === undefined || entry === undefined) return undefined;
        const { name, captures, boxed, step } = entry;
        const points = step?.points.map(({ at, live }, i) => ({ line: file.lines.ofPoint(ordinal, i, at), live }));
        return {
          name,
          captures,
          boxed,
          file: file.file,
          line: file.lines.ofFunction(ordinal),
          ...(step === null || points === undefined ? {} : { step: { slots: step.slots, points } }),
        };
      },
      classAt(module, ordinal) {
        const file = fileOf(module);
        const entry = file?.table.classes[ordinal];
        if (file === undefined || entry === undefined) return undefined;
        const { name, captures, fields, statics } = entry;
        return { name, captures, fields, statics, file: file.file, line: file.lines.ofClass(ordinal) };
      },
      isShared: (module, name) => fileOf(module)?.shared.has(name) === true,
    };
  }

  /** Variables of the top scope of a module, in the order of its contents. */
  variablesOf(record: RecordHead): readonly string[] {
    return this.#file(record)?.table.module.variables ?? [];
  }

  #file(record: RecordHead): FileText | undefined {
    const { key, code } = record;
    if (code === null) return undefined;
    const name = `${code.hash}\n${key}\n${code.id ?? ''}`;
    if (!this.#files.has(name)) this.#files.set(name, this.#read(record));
    return this.#files.get(name);
  }

  /** The one that was run, if it can be told; of others that file had, the last. */
  #textOf(url: string, { settings, hash }: CodeHead): string | undefined {
    let last: string | undefined;
    for (const text of this.#textsOf(url)) if (hashOfCode(settings, (last = text)) === hash) return text;
    return last;
  }

  #read({ key, filename, code }: RecordHead): FileText | undefined {
    if (code === null) return undefined;
    const [url = ''] = key.split('\n');
    const source = code.source ?? this.#textOf(url, code);
    if (source === undefined) return undefined;
    const { kind } = code;
    try {
      const file = filename ?? url;
      if (kind === 'function' || kind === 'script') {
        const { table } = runtimeTransform(source, { path: file, kind, prefix: '$$', id: 'f0', lenient: true });
        return fileText('made at run time', table as unknown as NameTable, NO_LINES);
      }
      this.#settings.set(file, code.settings);
      const described = this.#code.describe(file, source, kind);
      const table = described.table as unknown as NameTable;
      return fileText(file, table, described.source === source ? linesOf(source, table) : linesThrough(described));
    } catch {
      // Of a text that this version does not read, nothing is known.
      return undefined;
    }
  }
}

function fileText(file: string, table: NameTable, lines: Lines): FileText {
  const variables = table.scopes.flatMap((scope) => scope.variables);
  const shared = new Set(variables.flatMap(({ name, storage }) => (storage === 'local' ? [] : [name])));
  return { file, table, lines, shared };
}

const nowhere = (): undefined => undefined;
const NO_LINES: Lines = { ofFunction: nowhere, ofClass: nowhere, ofPoint: nowhere };

/** Of a file that positions in the table refer to. */
function linesOf(source: string, { functions, classes }: NameTable): Lines {
  const starts = lineStarts(source);
  const at = (offset: number | undefined): number | undefined =>
    offset === undefined ? undefined : lineIn(starts, offset) + 1;
  return {
    ofFunction: (ordinal) => at(functions[ordinal]?.start),
    ofClass: (ordinal) => at(classes[ordinal]?.start),
    ofPoint: (_ordinal, _index, offset) => at(offset),
  };
}

/** Of one that was lowered first, by what stands in the code for its functions and classes. */
function linesThrough({ code, map }: DescribedCode): Lines {
  const markers = (pattern: RegExp): Map<number, number> => {
    const found = new Map<number, number>();
    for (const match of code.matchAll(pattern)) {
      const ordinal = Number(match[1]);
      if (!found.has(ordinal)) found.set(ordinal, match.index);
    }
    return found;
  };
  const functions = markers(/\/\*@[\w$]+:(\d+)/g);
  const steps = markers(/\/\*@[\w$]+:(\d+)!/g);
  const classes = markers(/\bdefineClass\(\$\$\w*, (\d+)/g);
  const starts = lineStarts(code);
  let trace: TraceMap | undefined;
  const at = (offset: number | undefined): number | undefined => {
    if (offset === undefined) return undefined;
    trace ??= new TraceMap(map() as never);
    const line = lineIn(starts, offset);
    return originalPositionFor(trace, { line: line + 1, column: offset - (starts[line] as number) }).line ?? undefined;
  };
  return {
    ofFunction: (ordinal) => at(functions.get(ordinal)),
    ofClass: (ordinal) => at(classes.get(ordinal)),
    ofPoint: (ordinal, index) => at(pointIn(code, steps.get(ordinal), index + 1)),
  };
}

/** Where the code of a step, from `start` on, says that it goes on at that number: `$$await($$F, 1, …`, `$$F.pc = 1`. */
function pointIn(code: string, start: number | undefined, number: number): number | undefined {
  if (start === undefined) return undefined;
  const found = new RegExp(String.raw`\$F(?:, |\.pc = )${number}\b`, 'g');
  found.lastIndex = start;
  return found.exec(code)?.index;
}
