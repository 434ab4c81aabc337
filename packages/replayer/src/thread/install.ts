// Installs the loader in this thread, step by step. The only function with effects on the process; `turntable/register` calls it.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { watchAbortListeners, type StackMapping, type StatementClock, type UndoLog } from '@turntable/core';
import { actUpon, Devices, Outside, showTimersPromises, type LoaderRealm } from '@turntable/boundary';
import {
  becomeForeign,
  CodeCache,
  CodeLoader,
  createProgramModules,
  entryFile,
  explain,
  explanationText,
  ExportedClasses,
  exportsLent,
  filesLoadedWith,
  functionPlaces,
  installedPackage,
  installFatalExceptions,
  installHooks,
  installWrittenStacks,
  isToolPackage,
  Lending,
  lifetime,
  loaderOptions,
  NodeModules,
  ownDirectories,
  packageScope,
  installNodeShims,
  Reach,
  recordedTexts,
  reportUnsettledAwaits,
  Shells,
  ModuleClassifier,
  statementPlaces,
  teachModule,
  VerdictCache,
  type Explanation,
  type LoaderOptions,
  type ProgramModules,
  type RequestKind,
  type Transformer,
} from '@turntable/loader';
import type { ProgramState, ProgramStateDeps } from '@turntable/program-state';
import { useLoader, type Loader } from './loader.ts';
import { inlineProbes, statementClock, undoLog } from './probes.ts';
import { hasTools } from './beside-program.ts';
import { placeOnceListeners } from './once-listeners.ts';

/** How long the end of a process may take to keep V8's compiled code. */
const COMPILED_BUDGET_MS = 150;

/** What the steps of `install` share. */
interface Installation {
  readonly realm: LoaderRealm;
  readonly options: LoaderOptions;
  readonly code: CodeLoader;
  readonly classifier: ModuleClassifier;
  readonly program: ProgramModules;
  /** Prefixes of Turntable's own files, as paths and as URLs. */
  readonly own: readonly string[];
  readonly statements: StatementClock | undefined;
  readonly undo: UndoLog | undefined;
}

/** Installs the loader before the program is loaded. */
export function install(
  transformer: Transformer,
  realm: LoaderRealm,
  options: LoaderOptions = loaderOptions(),
): Loader {
  const parts = createParts(transformer, realm, options);
  keepToolsNative(parts);
  const natives = replaceNodeFunctions(parts);
  const mapping = mapStacks(parts);
  const lending = createLending(parts);
  const lend = lending && ((url: string, how: RequestKind) => lending.lend(url, how));
  const shells = new Shells(parts.program, installFatalExceptions(parts.code, mapping), lend);
  teachModule(parts.program, (module) => shells.run(module));
  recogniseLoadFailures(parts, shells);
  placeHooks(parts, shells, lending);
  prepareEndOfProcess(parts, mapping);
  const loader = createLoader(parts, { shells, mapping, natives });
  useLoader(loader);
  // Until the program begins.
  if (realm.inputs !== undefined) becomeForeign(true);
  return loader;
}

/** Installs the loader in a program that runs already: what it has loaded stays native, what it imports from now on does not. */
export function installLate(transformer: Transformer, realm: LoaderRealm): Loader {
  const loader = install(transformer, realm);
  becomeForeign(false);
  const entry = entryFile();
  if (entry === undefined) return loader;
  const { program } = loader;
  program.entry.beginNatively(pathToFileURL(entry).href);
  for (const file of filesLoadedWith(entry)) program.verdicts.addNative(file);
  return loader;
}

function createParts(transformer: Transformer, realm: LoaderRealm, options: LoaderOptions): Installation {
  const { cache: directory, debug } = options;
  const { inputs } = realm;
  const verdictCache = directory === false ? undefined : new VerdictCache(directory);
  const cache = directory === false ? undefined : new CodeCache(directory);
  const code = new CodeLoader(transformer, cache, { debug, changed: inputs?.texts });
  const statements = debug ? statementClock() : undefined;
  const undo = debug && options.undo ? undoLog() : undefined;
  if (debug && !options.undo) inlineProbes();
  forgetOwnTools();
  const directories = ownDirectories();
  const classifier = new ModuleClassifier(options, directories, {
    cache: verdictCache,
    isRecorded: inputs !== undefined,
  });
  const program = createProgramModules({
    realm: realm.modules,
    code,
    classifier,
    verdictCache,
    membraneLoader: inputs?.around.loader,
    noteResolution: inputs?.found,
    staysNative: inputs?.staysNative,
  });
  const own = directories.flatMap((path) => [path, pathToFileURL(path).href]);
  return { realm, options, code, classifier, program, own, statements, undo };
}

/** Files that were loaded before the loader are tools: they stay native. */
function keepToolsNative({ program, own }: Installation): void {
  for (const file of Object.keys(NodeModules._cache))
    if (!own.some((prefix) => file.startsWith(prefix))) program.verdicts.addNative(file);
}

/**
 * Functions of Node's that return promises or call back, as transformed code has them; and the membrane, if there is one. Returns the functions that node shims
 * replace.
 */
function replaceNodeFunctions({ realm, program, code, own }: Installation): Record<string, unknown> {
  const areToolsThere = hasTools(process.execArgv, process.env['NODE_OPTIONS'] ?? '', own);
  const { natives, isOfProgram } = installNodeShims({ program, code, own });
  realm.inputs?.placeAround({
    isOfProgram,
    whoseFile: (file) => {
      if (own.some((prefix) => file.startsWith(prefix))) return 'ours';
      const path = file.startsWith('file:') ? fileURLToPath(file) : file;
      const isTool = areToolsThere && installedPackage(path) !== undefined && !code.running.has(file);
      return isTool || program.verdicts.nativeFiles.has(path) ? 'device' : undefined;
    },
    hasTools: areToolsThere,
    exportsLent: (url, how) => exportsLent(program, url, how),
  });
  showTimersPromises(program.esm, natives);
  placeOnceListeners(realm.realm);
  watchAbortListeners(AbortSignal.prototype);
  return natives;
}

/** Stacks and source texts show the program as it was written. */
function mapStacks({ realm, program, code, own }: Installation): StackMapping {
  realm.useGraph(program.graph);
  realm.showSources((record) => code.sourceOf(program.table.runName(record)));
  const { nativeText } = realm;
  return installWrittenStacks({ realm: realm.realm, code, own, nativeText, hostCalls: { callsProgram: actUpon } });
}

/** Tells a module that failed to load from a rejection of the program's own. */
function recogniseLoadFailures({ realm: { inputs }, program }: Installation, shells: Shells): void {
  inputs?.failures.recogniseModules(
    (reason) =>
      shells.begun === 0 || [...program.graph.records.values()].some(({ failure }) => failure?.reason === reason),
  );
}

/** In a thread that is recorded or replayed. */
function createLending({ realm, program }: Installation): Lending | undefined {
  const across = realm.inputs?.around.lend;
  return across === undefined ? undefined : new Lending(program, across);
}

function placeHooks({ program, code, classifier }: Installation, shells: Shells, lending: Lending | undefined): void {
  const { entry } = program;
  const reach = new Reach(classifier, () => entry.url ?? entry.nativeUrl);
  installHooks({ program, shells, code, lending, reach });
}

function prepareEndOfProcess({ options, program, code, classifier }: Installation, mapping: StackMapping): void {
  process.once('exit', () => {
    if (options.explain)
      process.stderr.write(`${explanationText(explain(program.graph, classifier))}\n\n${countsText(code)}\n`);
    code.keepRest(COMPILED_BUDGET_MS);
  });
  reportUnsettledAwaits(program, code, mapping);
}

interface Installed {
  readonly shells: Shells;
  readonly mapping: StackMapping;
  /** Functions of Node that node shims replace. */
  readonly natives: Record<string, unknown>;
}

function createLoader(parts: Installation, { shells, mapping, natives }: Installed): Loader {
  const { realm: loaderRealm, options, program, code, classifier, own, statements, undo } = parts;
  const { realm, inputs, contexts } = loaderRealm;
  const devices = new Devices(realm, inputs?.around.membrane);
  const outside = new Outside(program.events, realm, contexts, own);
  let state: Promise<ProgramState> | undefined;
  return {
    program,
    options,
    counts: code.counts,
    realm,
    classes: new ExportedClasses(realm, program),
    devices,
    sources: inputs?.around.membrane,
    outside,
    awaitedBy: (eventual) => realm.awaitingSites(eventual, mapping).map(String),
    waitsAt: (frame) => mapping.awaiting(frame),
    placeOf: functionPlaces(realm, code, (record) => program.table.runName(record)),
    explain: () => explain(program.graph, classifier),
    packages: () => packagesIn(classifier),
    useTexts: (texts) => code.useRecorded(recordedTexts(texts)),
    onText: (listener) =>
      code.onText((filename, text, settings) => listener(pathToFileURL(filename).href, text, settings)),
    onBegin: (listener) => program.entry.onBegin(listener),
    holdUpEnd: (isHeldUp) => lifetime.holdUp(isHeldUp),
    unreplayable: () => [
      // A recorded thread notes what no trace contains at its first use.
      ...(classifier.isRecorded ? [] : devicesIn(explain(program.graph, classifier))),
      ...(inputs?.unreplayable() ?? []),
      ...program.commonJs.madeByTools.unseen,
      // When each of them begins is not recorded yet.
      ...(shells.begun > 1 ? ['modules that Node loads beside the entry point (--import, --require)'] : []),
    ],
    statements,
    statementOf: statementPlaces(code),
    undoLog: undo,
    intercept: (interceptor) => inputs?.intercept(interceptor, devices),
    keepCode: () => code.keepSome(),
    state: () => (state ??= loadState({ realm, loaderRealm, program, code, devices, outside, natives })),
  };
}

function packagesIn({ verdicts }: ModuleClassifier): Map<string, string> {
  const found = new Map<string, string>();
  for (const file of verdicts.keys()) {
    const directory = installedPackage(file)?.directory;
    if (directory === undefined || found.has(directory)) continue;
    const version = packageScope(join(directory, 'package.json'))?.version;
    if (version !== undefined) found.set(directory, version);
  }
  return found;
}

/** Builtins and packages of the program's that do I/O or load foreign code. */
function devicesIn({ builtins, packages }: Explanation): string[] {
  return [
    ...builtins.flatMap((each) => (each.class === 'device' || each.class === 'unknown' ? [`node:${each.name}`] : [])),
    ...packages.flatMap((each) => (each.side === 'device' ? [each.name] : [])),
  ];
}

/** Nothing of it is needed by a program that is not captured. */
async function loadState(deps: ProgramStateDeps): Promise<ProgramState> {
  const { ProgramState } = await import('@turntable/program-state');
  return new ProgramState(deps);
}

function countsText({ counts, lines }: CodeLoader): string {
  const { files, transformed, cached, prebuilt, milliseconds } = counts;
  return `turntable: ${files} files, ${lines} lines; ${transformed} transformed, ${cached} from the cache, ${prebuilt} prebuilt, in ${milliseconds.toFixed(1)} ms`;
}

/** What the loader itself has required is not the program's: it must not show in `require.cache`. */
function forgetOwnTools(): void {
  for (const filename of Object.keys(NodeModules._cache)) {
    if (isToolPackage(installedPackage(filename)?.name ?? '')) Reflect.deleteProperty(NodeModules._cache, filename);
  }
}
