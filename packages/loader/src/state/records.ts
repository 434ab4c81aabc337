// The module records of a program by number: which there are, how each is described in the head of a state, and how each is made again
// without evaluating anything.
import { createHash } from 'node:crypto';
import {
  connectModules,
  internals,
  isToBeEvaluated,
  NO_ATTRIBUTES,
  readSkeleton,
  type ModuleFactory,
  type ModuleRecord,
} from '@turntable/core';
import { readSource, type CodeLoader } from '../code.ts';
import { LoaderError } from '../errors.ts';
import type { CodeSelection, Factories } from '@turntable/heap';
import type { Origin, Program } from '../program.ts';
import type { CodeHead, ProgramHead, RecordHead } from './container.ts';

export function originOf(record: ModuleRecord): Origin | undefined {
  return record.origin as Origin | undefined;
}

/** Numbers records in the order in which a capture meets them, those that `import` finds first. */
export class RecordNumbers {
  readonly list: ModuleRecord[] = [];
  readonly #numbers: Map<ModuleRecord, number> = new Map();

  constructor(program: Program) {
    for (const record of program.graph.records.values()) this.#add(record);
  }

  /** Nothing for code whose text is kept nowhere. */
  of(record: ModuleRecord): number | undefined {
    const known = this.#numbers.get(record);
    if (known !== undefined) return known;
    return originOf(record) === undefined ? undefined : this.#add(record);
  }

  #add(record: ModuleRecord): number {
    const number = this.list.push(record) - 1;
    this.#numbers.set(record, number);
    return number;
  }
}

/** Describes all records there are by the end of a capture. */
export function describeRecords(
  { program, code }: { readonly program: Program; readonly code: CodeLoader },
  numbers: RecordNumbers,
  selections: readonly CodeSelection[],
): RecordHead[] {
  const selected = new Map(selections.map((selection) => [selection.record, selection]));
  const heads: RecordHead[] = [];
  // The list may grow while it is described.
  for (let i = 0; i < numbers.list.length; i++) {
    const record = numbers.list[i] as ModuleRecord;
    const origin = originOf(record) as Origin;
    heads.push({
      ...readSkeleton(record, (each) => numbers.of(each) ?? -1),
      what: origin.what,
      filename: origin.filename ?? null,
      registered: program.graph.records.get(record.key) === record,
      cells: record.kind === 'synthetic' && !isOutside(origin) ? [...record.cells.keys()] : [],
      namespace: record.namespace !== undefined,
      meta: record.metaObject !== undefined,
      code: describeCode(code, origin, selected.get(record)),
    });
  }
  return heads;
}

/** What is outside is there again in another process; its bindings are not state. */
export function isOutside(origin: Origin): boolean {
  return origin.what === 'builtin' || origin.what === 'device';
}

function describeCode(
  code: CodeLoader,
  { text, isKept }: Origin,
  selection: CodeSelection | undefined,
): CodeHead | null {
  if (text === undefined) return null;
  return {
    kind: text.kind,
    hash: hashOf(code, text.filename, text.source),
    instance: text.instance,
    source: isKept === true ? text.source : null,
    functions: selection?.functions ?? [],
    classes: selection?.classes ?? [],
  };
}

/** Of everything that decides what a file's code is. */
function hashOf(code: CodeLoader, filename: string, source: string): string {
  return createHash('sha256').update(code.transformer.settings(filename)).update('\0').update(source).digest('hex');
}

export interface RestoredRecords {
  readonly records: readonly ModuleRecord[];
  factories(record: ModuleRecord): Factories;
}

/** All records again, connected, with their code ready to make functions; nothing has been evaluated but what is outside. */
export async function restoreRecords(program: Program, code: CodeLoader, head: ProgramHead): Promise<RestoredRecords> {
  const sources = readSources(code, head.records);
  const factories = new Map<ModuleRecord, Factories>();
  const starts: [ModuleRecord, ModuleFactory][] = [];
  const records = head.records.map((each, i) => {
    const { record, start } = restoreRecord(program, code, each, sources[i]);
    if (each.registered) program.graph.records.set(each.key, record);
    if (start !== undefined) starts.push([record, start]);
    return record;
  });
  connectModules(head.records, records);
  program.graph.asyncOrder = head.asyncOrder;
  await Promise.all(
    records.map((record) => {
      const isEvaluated = originOf(record)?.what === 'device' && record.status === 'evaluated';
      return isEvaluated ? record.produce?.(record) : undefined;
    }),
  );
  for (const [record, start] of starts) factories.set(record, start(record, record.realm.forCode) as Factories);
  return {
    records,
    factories(record) {
      let known = factories.get(record);
      if (known === undefined) factories.set(record, (known = instantiatedFunctions(record)));
      return known;
    },
  };
}

/** The texts of all files, or an error that names those that are no longer what they were. */
function readSources(code: CodeLoader, heads: readonly RecordHead[]): (string | undefined)[] {
  const changed: string[] = [];
  const sources = heads.map(({ filename, code: wanted, key }) => {
    if (wanted === null) return undefined;
    if (wanted.source !== null) return wanted.source;
    const name = filename ?? key;
    let source: string | undefined;
    try {
      source = readSource(name);
    } catch {
      changed.push(`${name} (it cannot be read)`);
      return undefined;
    }
    if (hashOf(code, name, source) !== wanted.hash) changed.push(name);
    return source;
  });
  if (changed.length > 0) {
    const files = [...new Set(changed)];
    throw new LoaderError(
      'TT_CODE_CHANGED',
      `${files.length === 1 ? 'a file has' : `${files.length} files have`} changed since the state was captured: ` +
        `${files.join(', ')}; put back what was there, or capture the program as it is now`,
    );
  }
  return sources;
}

function restoreRecord(
  program: Program,
  code: CodeLoader,
  head: RecordHead,
  source: string | undefined,
): { record: ModuleRecord; start?: ModuleFactory } {
  const [url, type] = head.key.split('\n', 2) as [string, string?];
  const filename = head.filename ?? undefined;
  const isLoaded = head.status === 'evaluated' || head.status === 'evaluating-async';
  const attributes = type === undefined ? NO_ATTRIBUTES : { type };
  switch (head.what) {
    case 'builtin':
    case 'device':
      return { record: program.recordOf(url, attributes) };
    case 'json':
    case 'facade':
      if (!isLoaded) return { record: program.recordOf(url, attributes) };
      return {
        record: program.withOrigin(
          program.graph.synthetic(head.key, head.cells, () => undefined),
          { filename, what: head.what },
        ),
      };
    default: {
      if (head.code === null || source === undefined)
        throw new LoaderError('TT_STATE', `the state is damaged: it does not say what ${head.key} consists of`);
      if (head.what === 'module' && (!isLoaded || isToBeEvaluated({ ...head, kind: 'module' })))
        return { record: program.recordOf(url, attributes) };
      const { kind, instance, functions, classes } = head.code;
      const place = filename ?? head.key;
      const name = head.what === 'commonjs' && filename !== undefined ? filename : head.key;
      const loaded = code.loadRestoring({ filename: place, source, kind, instance }, name, { functions, classes });
      const isKept = head.code.source !== null;
      const record =
        head.what === 'module'
          ? program.moduleRecord(head.key, loaded, filename, isKept)
          : program.commonJsRecord(head.key, loaded, filename, isKept);
      return { record, start: loaded.factory };
    }
  }
}

type AnyFunction = (...args: never[]) => unknown;

/** Of a module that is still to be evaluated, what others have of it: its function declarations, which exist already. */
function instantiatedFunctions(record: ModuleRecord): Factories {
  const functions: Record<number, () => AnyFunction> = {};
  const note = (value: unknown): void => {
    if (typeof value !== 'function') return;
    const identity = internals.identify(value as AnyFunction);
    if (identity !== undefined) functions[identity.ordinal] = () => value as AnyFunction;
  };
  const { readScope } = record;
  for (const cell of record.cells.values()) if (Object.hasOwn(cell, 'v')) note(cell.v);
  (record.table.variables ?? []).forEach((_, i) => {
    try {
      note(readScope?.(i));
    } catch {
      // not initialised: no declaration of a function
    }
  });
  return { functions, classes: {}, steps: {} };
}
