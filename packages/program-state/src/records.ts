// The module records of a program by number: their descriptions in the head of a state, and their restoration without
// evaluating anything.
import { types } from 'node:util';
import {
  connectModules,
  uninitialisedVariables,
  needsEvaluation,
  NO_ATTRIBUTES,
  readSkeleton,
  type ModuleFactory,
  type ModuleRecord,
} from '@turntable/core';
import {
  mergeRestoreOptions,
  type CodeKind,
  type CodeLoader,
  codeHash,
  LoaderError,
  originOf,
  type ProgramModules,
  type RunningCode,
} from '@turntable/loader';
import { factoriesOfInstantiated, type CodeEntries, type CodeSelection, type CodeFactories } from '@turntable/heap';
import type { LoaderRealm } from '@turntable/boundary';
import type { CodeHead, ProgramHead, RecordHead } from './state-container.ts';

/** Dependencies of the records of a thread. */
export interface ModuleRecordDeps {
  readonly program: ProgramModules;
  readonly code: CodeLoader;
  readonly loaderRealm: LoaderRealm;
}

/** The transform's entries for the source behind a record. */
export function codeEntriesOf({ code, loaderRealm }: ModuleRecordDeps, record: ModuleRecord): CodeEntries | undefined {
  const runningCode = originOf(record)?.running;
  const table =
    runningCode === undefined ? loaderRealm.runtimeCodeOf(record)?.table : code.describeRunning(runningCode).table;
  return table as CodeEntries | undefined;
}

/** Numbers records in the order in which a capture finds them, records of the module graph first. */
export class RecordNumbers {
  readonly records: ModuleRecord[] = [];
  readonly #numbers: Map<ModuleRecord, number> = new Map();

  readonly #deps: ModuleRecordDeps;

  constructor(sources: ModuleRecordDeps) {
    this.#deps = sources;
    for (const record of sources.program.graph.records.values()) this.#add(record);
    // Records that no `import` finds any more may still be referenced. The list grows meanwhile.
    for (const record of this.records)
      for (const target of record.loadedModules) if (target !== undefined) this.numberOf(target);
  }

  /** Returns the number of a record and numbers a new one; undefined for code whose source is not kept. */
  numberOf(record: ModuleRecord): number | undefined {
    const existing = this.#numbers.get(record);
    if (existing !== undefined) return existing;
    const isRestorable = originOf(record) !== undefined || this.#deps.loaderRealm.runtimeCodeOf(record) !== undefined;
    return isRestorable ? this.#add(record) : undefined;
  }

  #add(record: ModuleRecord): number {
    const number = this.records.push(record) - 1;
    this.#numbers.set(record, number);
    return number;
  }
}

/** Describes the records numbered since the last call, without selections. */
export function describeRecords(
  sources: ModuleRecordDeps,
  numbers: RecordNumbers,
  heads: RecordHead[] = [],
): RecordHead[] {
  const keys = new Map([...sources.program.graph.records].map(([key, record]) => [record, key]));
  // The list may grow meanwhile.
  for (let i = heads.length; i < numbers.records.length; i++) {
    const record = numbers.records[i] as ModuleRecord;
    const origin = originOf(record);
    const key = keys.get(record);
    heads.push({
      ...readSkeleton(record, (target) => numbers.numberOf(target) ?? -1),
      // The graph's key includes the type attribute of the import.
      key: key ?? record.key,
      originKind: origin?.kind ?? 'text',
      filename: origin?.filename ?? null,
      isRegistered: key !== undefined,
      cells: record.kind === 'synthetic' && !isHostSideRecord(record) ? [...record.cells.keys()] : [],
      namespace: namespaceKind(record),
      hasMetaObject: record.metaObject !== undefined,
      code: describeCode(sources, record),
    });
  }
  return heads;
}

/** Adds to each record the functions and classes that the state refers to. */
export function applySelections(
  heads: readonly RecordHead[],
  numbers: RecordNumbers,
  selections: readonly CodeSelection[],
): RecordHead[] {
  const selected = new Map(selections.map((selection) => [selection.record, selection]));
  return heads.map((head, i) => {
    const { functions = [], classes = [] } = selected.get(numbers.records[i] as ModuleRecord) ?? {};
    return head.code === null ? head : { ...head, code: { ...head.code, functions, classes } };
  });
}

function namespaceKind({ namespace }: ModuleRecord): RecordHead['namespace'] {
  if (namespace === undefined) return null;
  return types.isModuleNamespaceObject(namespace) ? 'real' : 'imitated';
}

/** Host-side modules are loaded again; their bindings are not state. */
export function isHostSideRecord(record: ModuleRecord): boolean {
  const kind = originOf(record)?.kind;
  return kind === 'builtin' || kind === 'device';
}

function describeCode({ code, loaderRealm }: ModuleRecordDeps, record: ModuleRecord): CodeHead | null {
  const emptySelection = { functions: [], classes: [] };
  const runtimeCode = loaderRealm.runtimeCodeOf(record);
  if (runtimeCode !== undefined) {
    const { kind, source, prefix, id } = runtimeCode;
    return { kind, hash: '', settings: '', instance: 0, source, prefix, id, ...emptySelection, uninitialised: [] };
  }
  const { running: runningCode, isSourceKept: isKept } = originOf(record) ?? {};
  if (runningCode === undefined) return null;
  return {
    kind: runningCode.kind,
    ...compiledIdentityOf(code, runningCode),
    instance: runningCode.instance,
    source: isKept === true ? runningCode.source : null,
    prefix: null,
    id: null,
    ...emptySelection,
    // Empty for an unevaluated module: a restore instantiates the module again, and its evaluation is still to come.
    uninitialised: isUnevaluated(record) ? [] : uninitialisedVariables(record),
  };
}

function isUnevaluated(record: Pick<ModuleRecord, 'kind' | 'status' | 'pendingAsyncDependencies'>): boolean {
  if (record.kind !== 'module') return false;
  const isLoaded = record.status === 'evaluated' || record.status === 'evaluating-async';
  return !isLoaded || needsEvaluation(record);
}

interface CompiledIdentity {
  readonly hash: string;
  readonly settings: string;
}

const compiledIdentities = new WeakMap<RunningCode, CompiledIdentity>();

function compiledIdentityOf(code: CodeLoader, runningCode: RunningCode): CompiledIdentity {
  let existing = compiledIdentities.get(runningCode);
  if (existing === undefined) {
    const settings = code.settingsOf(runningCode.filename);
    compiledIdentities.set(runningCode, (existing = { hash: codeHash(settings, runningCode.source), settings }));
  }
  return existing;
}

export interface RestoredRecords {
  readonly records: readonly ModuleRecord[];
  factoriesOf(record: ModuleRecord): CodeFactories;
}

/** Restores all records, connected and with code. Evaluates only host-side modules. @param sources by record number */
export async function restoreRecords(
  deps: ModuleRecordDeps,
  head: ProgramHead,
  sources: readonly (string | undefined)[],
): Promise<RestoredRecords> {
  const { program } = deps;
  const factories = new Map<ModuleRecord, CodeFactories>();
  const starts: [ModuleRecord, ModuleFactory][] = [];
  const records = head.records.map((recordHead, i) => {
    const { record, start } = restoreRecord(deps, recordHead, sources[i]);
    if (recordHead.isRegistered) program.graph.records.set(recordHead.key, record);
    if (start !== undefined) starts.push([record, start]);
    return record;
  });
  connectModules(head.records, records);
  program.graph.asyncOrder = head.asyncOrder;
  const { membraneSetup } = deps.loaderRealm.inputs ?? {};
  await Promise.all(
    records.map((record) => {
      const origin = originOf(record);
      const isEvaluated = origin?.kind === 'device' && record.status === 'evaluated';
      // A replay does not load devices beyond the membrane; their bindings are restored later.
      const isLoaded = membraneSetup?.isReplay === true && program.verdicts.isBeyondMembrane(origin?.filename ?? '');
      return isEvaluated && !isLoaded ? record.produce?.(record) : undefined;
    }),
  );
  for (const [record, start] of starts)
    factories.set(record, start(record, record.realm.realmForCode) as CodeFactories);
  return {
    records,
    factoriesOf(record) {
      let existing = factories.get(record);
      if (existing === undefined) factories.set(record, (existing = factoriesOfInstantiated(record)));
      return existing;
    },
  };
}

function restoreRecord(
  { program, code, loaderRealm }: ModuleRecordDeps,
  head: RecordHead,
  source: string | undefined,
): { record: ModuleRecord; start?: ModuleFactory } {
  const [url, type] = head.key.split('\n', 2) as [string, string?];
  const filename = head.filename ?? undefined;
  const isLoaded = head.status === 'evaluated' || head.status === 'evaluating-async';
  const attributes = type === undefined ? NO_ATTRIBUTES : { type };
  switch (head.originKind) {
    case 'builtin':
    case 'device':
      return { record: program.esm.recordOf(url, attributes) };
    case 'json':
    case 'facade':
      if (!isLoaded) return { record: program.esm.recordOf(url, attributes) };
      return {
        record: program.table.withOrigin(
          program.graph.synthetic(url, head.cells, () => undefined),
          { filename, kind: head.originKind },
        ),
      };
    default: {
      if (head.code === null || source === undefined)
        throw new LoaderError(
          'TT_STATE',
          `the state is damaged: the code of ${head.key} is missing; restore another snapshot`,
        );
      if (head.originKind === 'module' && isUnevaluated({ ...head, kind: 'module' }))
        return { record: program.esm.recordOf(url, attributes) };
      const { kind, prefix, id, functions, classes } = head.code;
      if (kind === 'function' || kind === 'script')
        return loaderRealm.restoreRuntimeCode(
          { kind, source, prefix: prefix ?? '$$', id: id ?? 'f0' },
          { functions, classes },
        );
      const loaded = code.loadForRestore(...restoreArguments(head, head.code, kind, source));
      const isKept = head.code.source !== null;
      const record =
        head.originKind === 'module'
          ? program.table.addModule(head.key, loaded, filename, isKept)
          : program.table.addCommonJsModule(head.key, loaded, filename, isKept);
      return { record, start: loaded.factory };
    }
  }
}

/** The arguments of `loadForRestore` for a record. */
function restoreArguments(
  { originKind, key, filename }: RecordHead,
  { instance, functions, classes, uninitialised: dead }: CodeHead,
  kind: CodeKind,
  source: string,
): Parameters<CodeLoader['loadForRestore']> {
  const name = originKind === 'commonjs' && filename !== null ? filename : key;
  const runningCode = { filename: filename ?? key, source, kind, instance };
  return [runningCode, name, { functions, classes, ...(dead.length > 0 ? { dead } : {}) }];
}

/** Prepares the code that any of these states needs. States that refer to the same code share one preparation. */
export function prepareRecords(
  { code }: Pick<ModuleRecordDeps, 'code'>,
  states: readonly { readonly head: ProgramHead; readonly sources: readonly (string | undefined)[] }[],
): void {
  const argumentsByIdentity = new Map<string, Parameters<CodeLoader['loadForRestore']>>();
  for (const { head, sources } of states)
    head.records.forEach((record, i) => {
      const source = sources[i];
      const kind = record.code?.kind;
      if (record.code === null || source === undefined || (kind !== 'module' && kind !== 'commonjs')) return;
      if (record.originKind === 'module' && isUnevaluated({ ...record, kind: 'module' })) return;
      const restoreArgs = restoreArguments(record, record.code, kind, source);
      const { instance, hash, uninitialised: dead } = record.code;
      const identity = [restoreArgs[1], instance, hash, ...dead].join('\n');
      const previous = argumentsByIdentity.get(identity);
      argumentsByIdentity.set(
        identity,
        previous === undefined
          ? restoreArgs
          : [restoreArgs[0], restoreArgs[1], mergeRestoreOptions(restoreArgs[2], previous[2])],
      );
    });
  for (const restoreArgs of argumentsByIdentity.values()) code.prepareForRestore(...restoreArgs);
}
