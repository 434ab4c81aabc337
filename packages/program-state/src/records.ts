// The module records of a program by number: which there are, how each is described in the head of a state, and how each is made again
// without evaluating anything.
import { types } from 'node:util';
import {
  connectModules,
  deadVariables,
  isToBeEvaluated,
  NO_ATTRIBUTES,
  readSkeleton,
  type ModuleFactory,
  type ModuleRecord,
} from '@turntable/core';
import {
  both,
  type CodeKind,
  type CodeLoader,
  hashOfCode,
  LoaderError,
  originOf,
  type ProgramModules,
  type RunningCode,
} from '@turntable/loader';
import { instantiatedFunctions, type CodeEntries, type CodeSelection, type Factories } from '@turntable/heap';
import type { LoaderRealm } from '@turntable/boundary';
import type { CodeHead, ProgramHead, RecordHead } from './container.ts';

/** Where the records of a thread come from. */
export interface RecordSources {
  readonly program: ProgramModules;
  readonly code: CodeLoader;
  readonly loaderRealm: LoaderRealm;
}

/** What the transform says of the text behind a record. */
export function entriesOf({ code, loaderRealm }: RecordSources, record: ModuleRecord): CodeEntries | undefined {
  const text = originOf(record)?.text;
  const table = text === undefined ? loaderRealm.runtimeCode(record)?.table : code.described(text).table;
  return table as CodeEntries | undefined;
}

/** Numbers records in the order in which a capture meets them, those that `import` finds first. */
export class RecordNumbers {
  readonly list: ModuleRecord[] = [];
  readonly #numbers: Map<ModuleRecord, number> = new Map();

  readonly #sources: RecordSources;

  constructor(sources: RecordSources) {
    this.#sources = sources;
    for (const record of sources.program.graph.records.values()) this.#add(record);
    // What no `import` finds any more may still be imported by others. The list grows meanwhile.
    for (const record of this.list) for (const target of record.loaded) if (target !== undefined) this.of(target);
  }

  /** Nothing for code whose text is kept nowhere. */
  of(record: ModuleRecord): number | undefined {
    const known = this.#numbers.get(record);
    if (known !== undefined) return known;
    const isThere = originOf(record) !== undefined || this.#sources.loaderRealm.runtimeCode(record) !== undefined;
    return isThere ? this.#add(record) : undefined;
  }

  #add(record: ModuleRecord): number {
    const number = this.list.push(record) - 1;
    this.#numbers.set(record, number);
    return number;
  }
}

/** Describes the records that have got a number since, but for what is used of them. */
export function describeRecords(
  sources: RecordSources,
  numbers: RecordNumbers,
  heads: RecordHead[] = [],
): RecordHead[] {
  const keys = new Map([...sources.program.graph.records].map(([key, record]) => [record, key]));
  // The list may grow while it is described.
  for (let i = heads.length; i < numbers.list.length; i++) {
    const record = numbers.list[i] as ModuleRecord;
    const origin = originOf(record);
    const key = keys.get(record);
    heads.push({
      ...readSkeleton(record, (each) => numbers.of(each) ?? -1),
      // That of the graph names the type as well.
      key: key ?? record.key,
      what: origin?.what ?? 'text',
      filename: origin?.filename ?? null,
      registered: key !== undefined,
      cells: record.kind === 'synthetic' && !isOutside(record) ? [...record.cells.keys()] : [],
      namespace: namespaceKind(record),
      meta: record.metaObject !== undefined,
      code: describeCode(sources, record),
    });
  }
  return heads;
}

/** With what a state refers to of each. */
export function selectOf(
  heads: readonly RecordHead[],
  numbers: RecordNumbers,
  selections: readonly CodeSelection[],
): RecordHead[] {
  const selected = new Map(selections.map((selection) => [selection.record, selection]));
  return heads.map((head, i) => {
    const { functions = [], classes = [] } = selected.get(numbers.list[i] as ModuleRecord) ?? {};
    return head.code === null ? head : { ...head, code: { ...head.code, functions, classes } };
  });
}

function namespaceKind({ namespace }: ModuleRecord): RecordHead['namespace'] {
  if (namespace === undefined) return null;
  return types.isModuleNamespaceObject(namespace) ? 'real' : 'imitated';
}

/** What is outside is there again in another process; its bindings are not state. */
export function isOutside(record: ModuleRecord): boolean {
  const what = originOf(record)?.what;
  return what === 'builtin' || what === 'device';
}

function describeCode({ code, loaderRealm }: RecordSources, record: ModuleRecord): CodeHead | null {
  const used = { functions: [], classes: [] };
  const made = loaderRealm.runtimeCode(record);
  if (made !== undefined) {
    const { kind, source, prefix, id } = made;
    return { kind, hash: '', settings: '', instance: 0, source, prefix, id, ...used, dead: [] };
  }
  const { text, isKept } = originOf(record) ?? {};
  if (text === undefined) return null;
  return {
    kind: text.kind,
    ...compiledFrom(code, text),
    instance: text.instance,
    source: isKept === true ? text.source : null,
    prefix: null,
    id: null,
    ...used,
    // Instantiated again, and evaluated when its turn comes.
    dead: isUnevaluated(record) ? [] : deadVariables(record),
  };
}

function isUnevaluated(record: Pick<ModuleRecord, 'kind' | 'status' | 'pendingAsyncDependencies'>): boolean {
  if (record.kind !== 'module') return false;
  const isLoaded = record.status === 'evaluated' || record.status === 'evaluating-async';
  return !isLoaded || isToBeEvaluated(record);
}

interface Compiled {
  readonly hash: string;
  readonly settings: string;
}

const compiled = new WeakMap<RunningCode, Compiled>();

function compiledFrom(code: CodeLoader, text: RunningCode): Compiled {
  let known = compiled.get(text);
  if (known === undefined) {
    const settings = code.settingsOf(text.filename);
    compiled.set(text, (known = { hash: hashOfCode(settings, text.source), settings }));
  }
  return known;
}

export interface RestoredRecords {
  readonly records: readonly ModuleRecord[];
  factories(record: ModuleRecord): Factories;
}

/** All records again, connected, with their code ready to make functions; nothing has been evaluated but what is outside. `sources`: their texts. */
export async function restoreRecords(
  from: RecordSources,
  head: ProgramHead,
  sources: readonly (string | undefined)[],
): Promise<RestoredRecords> {
  const { program } = from;
  const factories = new Map<ModuleRecord, Factories>();
  const starts: [ModuleRecord, ModuleFactory][] = [];
  const records = head.records.map((each, i) => {
    const { record, start } = restoreRecord(from, each, sources[i]);
    if (each.registered) program.graph.records.set(each.key, record);
    if (start !== undefined) starts.push([record, start]);
    return record;
  });
  connectModules(head.records, records);
  program.graph.asyncOrder = head.asyncOrder;
  const { around } = from.loaderRealm.inputs ?? {};
  await Promise.all(
    records.map((record) => {
      const origin = originOf(record);
      const isEvaluated = origin?.what === 'device' && record.status === 'evaluated';
      // In a run again it was loaded by the run that was recorded; its bindings are still to come.
      const isLoaded = around?.isReplay === true && program.verdicts.isBeyondMembrane(origin?.filename ?? '');
      return isEvaluated && !isLoaded ? record.produce?.(record) : undefined;
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

function restoreRecord(
  { program, code, loaderRealm }: RecordSources,
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
      return { record: program.esm.recordOf(url, attributes) };
    case 'json':
    case 'facade':
      if (!isLoaded) return { record: program.esm.recordOf(url, attributes) };
      return {
        record: program.table.withOrigin(
          program.graph.synthetic(url, head.cells, () => undefined),
          { filename, what: head.what },
        ),
      };
    default: {
      if (head.code === null || source === undefined)
        throw new LoaderError('TT_STATE', `the state is damaged: it does not say what ${head.key} consists of`);
      if (head.what === 'module' && isUnevaluated({ ...head, kind: 'module' }))
        return { record: program.esm.recordOf(url, attributes) };
      const { kind, prefix, id, functions, classes } = head.code;
      if (kind === 'function' || kind === 'script')
        return loaderRealm.restoreRuntime(
          { kind, source, prefix: prefix ?? '$$', id: id ?? 'f0' },
          { functions, classes },
        );
      const loaded = code.loadRestoring(...restoredText(head, head.code, kind, source));
      const isKept = head.code.source !== null;
      const record =
        head.what === 'module'
          ? program.table.module(head.key, loaded, filename, isKept)
          : program.table.commonJsModule(head.key, loaded, filename, isKept);
      return { record, start: loaded.factory };
    }
  }
}

/** What the code loader is asked for. */
function restoredText(
  { what, key, filename }: RecordHead,
  { instance, functions, classes, dead }: CodeHead,
  kind: CodeKind,
  source: string,
): Parameters<CodeLoader['loadRestoring']> {
  const name = what === 'commonjs' && filename !== null ? filename : key;
  const text = { filename: filename ?? key, source, kind, instance };
  return [text, name, { functions, classes, ...(dead.length > 0 ? { dead } : {}) }];
}

/** What states will ask for that are restored, one of them in the end: all that any does, of the files that each of them has. */
export function expectRecords(
  { code }: Pick<RecordSources, 'code'>,
  states: readonly { readonly head: ProgramHead; readonly sources: readonly (string | undefined)[] }[],
): void {
  const all = new Map<string, Parameters<CodeLoader['loadRestoring']>>();
  for (const { head, sources } of states)
    head.records.forEach((record, i) => {
      const source = sources[i];
      const kind = record.code?.kind;
      if (record.code === null || source === undefined || (kind !== 'module' && kind !== 'commonjs')) return;
      if (record.what === 'module' && isUnevaluated({ ...record, kind: 'module' })) return;
      const one = restoredText(record, record.code, kind, source);
      const { instance, hash, dead } = record.code;
      const its = [one[1], instance, hash, ...dead].join('\n');
      const other = all.get(its);
      all.set(its, other === undefined ? one : [one[0], one[1], both(one[2], other[2])]);
    });
  for (const one of all.values()) code.expectRestoring(...one);
}
