// Installs the loader in this thread: for `turntable/register` before the program is loaded (`install`), or for
// `start()` in a running program (`installLate`).
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { watchAbortListeners, type StackMapping, type StatementClock, type UndoLog } from '@turntable/core';
import {
  performCallback,
  Devices,
  HostCallbackTracker,
  installTimersPromises,
  type LoaderRealm,
} from '@turntable/boundary';
import {
  setToolRunning,
  CodeCache,
  CodeLoader,
  createProgramModules,
  entryFile,
  createClassificationReport,
  classificationText,
  ExportedClasses,
  lentExports,
  filesImportedFrom,
  createFunctionLocator,
  installedPackage,
  installFatalExceptions,
  installHooks,
  installSourceStacks,
  isToolPackage,
  LentModules,
  processLifetime,
  loaderOptions,
  NodeModules,
  ownDirectories,
  packageCache,
  packageScope,
  installNodeShims,
  ReachableFiles,
  callerFiles,
  callerLocation,
  createRecordedSources,
  installUnsettledAwaitReport,
  Shells,
  ModuleClassifier,
  describeProbes,
  createSuspendedVariables,
  patchModuleBuiltin,
  verdictCacheIn,
  type ClassificationReport,
  type LoaderOptions,
  type ProgramModules,
  type RequestKind,
  type Transformer,
} from '@turntable/loader';
import type { ProgramState, ProgramStateDeps } from '@turntable/program-state';
import { setLoader, type Loader } from './loader.ts';
import { raiseInliningLimits, getStatementClock, getUndoLog } from './probes.ts';
import { hasPreloadedTools } from './preloaded-tools.ts';
import { installOnceListeners } from './once-listeners.ts';

/** Time budget for saving V8's compiled code at the end of a process. */
const COMPILED_BUDGET_MS = 150;

/** State that the steps of `install` share. */
interface Installation {
  readonly loaderRealm: LoaderRealm;
  readonly options: LoaderOptions;
  readonly code: CodeLoader;
  readonly classifier: ModuleClassifier;
  readonly program: ProgramModules;
  /** Prefixes of Turntable's own files, as paths and as URLs. */
  readonly ownPrefixes: readonly string[];
  readonly statementClock: StatementClock | undefined;
  readonly undoLog: UndoLog | undefined;
}

export function install(
  transformer: Transformer,
  realm: LoaderRealm,
  options: LoaderOptions = loaderOptions(),
): Loader {
  const installation = createInstallation(transformer, realm, options);
  keepToolsNative(installation);
  const nativeFunctions = replaceNodeFunctions(installation);
  const mapping = mapStacks(installation);
  realm.inputs?.locateUses(() => callerLocation(mapping));
  const lending = createLentModules(installation);
  const lendModule = lending && ((url: string, kind: RequestKind) => lending.lend(url, kind));
  const shells = new Shells(installation.program, installFatalExceptions(installation.code, mapping), lendModule);
  patchModuleBuiltin(installation.program, {
    runShell: (module) => shells.run(module),
    callerFile: (callee) => callerFiles(callee, 1)?.[0],
    isHostCaller: realm.inputs?.membraneSetup.callerClassifier.isHostCaller,
  });
  recogniseLoadFailures(installation, shells);
  registerHooks(installation, shells, lending);
  prepareEndOfProcess(installation, mapping);
  const loader = createLoader(installation, { shells, mapping, nativeFunctions });
  setLoader(loader);
  // Tools run until the program starts. Its start resets the flag.
  if (realm.inputs !== undefined) setToolRunning(true);
  return loader;
}

/** Installs the loader in a running program. Loaded modules stay native; later imports are transformed. */
export function installLate(transformer: Transformer, realm: LoaderRealm): Loader {
  const loader = install(transformer, realm);
  setToolRunning(false);
  const entry = entryFile();
  if (entry === undefined) return loader;
  const { program } = loader;
  program.entryPoint.startNatively(pathToFileURL(entry).href);
  for (const file of filesImportedFrom(entry)) program.verdicts.addNative(file);
  return loader;
}

function createInstallation(transformer: Transformer, realm: LoaderRealm, options: LoaderOptions): Installation {
  const { cache: cacheDirectory, debug } = options;
  const { inputs } = realm;
  // A replay that does not write its own cache also reads that of the program.
  const sharedDirectory = transformer.writesCache ? packageCache(process.cwd()) : undefined;
  const verdictCache = cacheDirectory === false ? undefined : verdictCacheIn(cacheDirectory, sharedDirectory);
  const cache = cacheDirectory === false ? undefined : new CodeCache(cacheDirectory, sharedDirectory);
  const code = new CodeLoader(transformer, cache, { isDebug: debug, sourceChanges: inputs?.sourceChanges });
  const statementClock = debug ? getStatementClock() : undefined;
  const undoLog = debug && options.undo ? getUndoLog() : undefined;
  if (debug && !options.undo) raiseInliningLimits();
  forgetOwnTools();
  const directories = ownDirectories();
  const isRecorded = inputs !== undefined;
  const classifier = new ModuleClassifier(options, directories, { cache: verdictCache, isRecorded });
  const program = createProgramModules({
    realm: realm.modules,
    codeLoader: code,
    classifier,
    verdictCache,
    membraneLoader: inputs?.membraneSetup.deviceLoader,
    noteResolution: inputs?.recordLookup,
    staysNative: inputs?.staysNative,
  });
  const ownPrefixes = directories.flatMap((path) => [path, pathToFileURL(path).href]);
  return { loaderRealm: realm, options, code, classifier, program, ownPrefixes, statementClock, undoLog };
}

/** Marks files that were loaded before the loader as native, because they are tools. */
function keepToolsNative({ program, ownPrefixes }: Installation): void {
  for (const file of Object.keys(NodeModules._cache))
    if (!ownPrefixes.some((prefix) => file.startsWith(prefix))) program.verdicts.addNative(file);
}

/**
 * Replaces Node's functions that return promises or take callbacks by shims for transformed code, and connects the inputs
 * of a thread with a tape. Returns the replaced functions.
 */
function replaceNodeFunctions(installation: Installation): Record<string, unknown> {
  const { loaderRealm: realm, program, code, ownPrefixes } = installation;
  const hasTools = hasPreloadedTools(process.execArgv, process.env['NODE_OPTIONS'] ?? '', ownPrefixes);
  const nativeFunctions = installNodeShims({
    program,
    codeLoader: code,
    ownPrefixes,
    isHostCaller: realm.inputs?.membraneSetup.callerClassifier.isHostCaller,
  });
  /** Owners that do not change, by file. */
  const knownOwners = new Map<string, 'ours' | 'device'>();
  realm.inputs?.connectLoader({
    fileOwner(file) {
      const knownOwner = knownOwners.get(file);
      if (knownOwner !== undefined) return knownOwner;
      const path = file.startsWith('file:') ? fileURLToPath(file) : file;
      const isOurs = ownPrefixes.some((prefix) => file.startsWith(prefix));
      if (isOurs || program.verdicts.nativeFiles.has(path)) {
        const owner = isOurs ? 'ours' : 'device';
        knownOwners.set(file, owner);
        return owner;
      }
      const isTool = hasTools && installedPackage(path) !== undefined && !code.running.has(file);
      return isTool ? 'device' : undefined;
    },
    hasTools,
    lentExports: (url, kind) => lentExports(program, url, kind),
  });
  installTimersPromises(program.esm, nativeFunctions);
  installOnceListeners(realm.realm);
  watchAbortListeners(AbortSignal.prototype);
  return nativeFunctions;
}

/** Maps stacks and function texts to the program's source. */
function mapStacks({ loaderRealm: realm, program, code, ownPrefixes }: Installation): StackMapping {
  realm.setGraph(program.graph);
  realm.installSources((record) => code.sourceOf(program.table.runNameOf(record)));
  const { nativeSource: nativeText } = realm;
  return installSourceStacks({
    realm: realm.realm,
    code,
    ownPrefixes,
    nativeSource: nativeText,
    hostCalls: { callsProgram: performCallback },
  });
}

/** Distinguishes failures of module loading from the program's own rejections. */
function recogniseLoadFailures({ loaderRealm: { inputs }, program }: Installation, shells: Shells): void {
  inputs?.failures.setModuleFailureCheck(
    (reason) =>
      shells.startedCount === 0 ||
      [...program.graph.records.values()].some(({ failure }) => failure?.reason === reason),
  );
}

/** Creates the modules lent across the boundary; undefined in a thread without a tape. */
function createLentModules({ loaderRealm: realm, program }: Installation): LentModules | undefined {
  const lendAcross = realm.inputs?.membraneSetup.lendModule;
  return lendAcross === undefined ? undefined : new LentModules(program, lendAcross);
}

function registerHooks(
  { program, code, classifier }: Installation,
  shells: Shells,
  lending: LentModules | undefined,
): void {
  const { entryPoint: entry } = program;
  const reachableFiles = new ReachableFiles(classifier, () => entry.url ?? entry.nativeUrl);
  installHooks({ program, shells, codeLoader: code, lentModules: lending, reachableFiles });
}

function prepareEndOfProcess({ options, program, code, classifier }: Installation, mapping: StackMapping): void {
  process.once('exit', () => {
    if (options.explain)
      process.stderr.write(
        `${classificationText(createClassificationReport(program.graph, classifier))}\n\n${countsText(code)}\n`,
      );
    code.flushCache(COMPILED_BUDGET_MS);
  });
  installUnsettledAwaitReport(program, code, mapping);
}

interface InstalledParts {
  readonly shells: Shells;
  readonly mapping: StackMapping;
  readonly nativeFunctions: Record<string, unknown>;
}

function createLoader(installation: Installation, { shells, mapping, nativeFunctions }: InstalledParts): Loader {
  const { loaderRealm, options, program, code, classifier, ownPrefixes, statementClock, undoLog } = installation;
  const { realm, inputs, contexts, timers } = loaderRealm;
  const devices = new Devices(realm, inputs?.membraneSetup.membrane);
  const hostCallbacks = new HostCallbackTracker(program.loadEvents, realm, contexts, timers, ownPrefixes);
  let programState: Promise<ProgramState> | undefined;
  return {
    program,
    options,
    counts: code.counts,
    realm,
    classes: new ExportedClasses(realm, program),
    devices,
    dataSources: inputs?.membraneSetup.membrane,
    hostCallbacks,
    awaitingFrames: (eventual) => realm.awaitingSites(eventual, mapping).map(String),
    awaitLocation: (frame) => mapping.awaitLocation(frame),
    suspendedVariables: createSuspendedVariables(realm, code),
    locationOf: createFunctionLocator(realm, code, (record) => program.table.runNameOf(record)),
    classificationReport: () => createClassificationReport(program.graph, classifier),
    reachedPackages: () => reachedPackagesOf(classifier),
    reachedDeviceFiles: () =>
      [...program.verdicts.nativeFiles].filter(
        (file) => program.verdicts.isDeviceFile(file) && installedPackage(file) === undefined,
      ),
    useRecordedSources: (sources) => code.useRecordedSources(createRecordedSources(sources)),
    onSource: (listener) =>
      code.onSource((filename, source, settings) => listener(pathToFileURL(filename).href, source, settings)),
    beforeCode: (listener) => code.beforeCode(listener),
    onStart: (listener) => program.entryPoint.onStart(listener),
    deferExit: (isHeldUp) => processLifetime.deferExit(isHeldUp),
    unreplayableUses: () => [
      // A thread with a tape records each device at its first use instead.
      ...(classifier.isRecorded ? [] : deviceNamesIn(createClassificationReport(program.graph, classifier))),
      ...(inputs?.unreplayableUses() ?? []),
      ...program.commonJs.toolOutputs.unreplayableUses,
      // The start times of these modules are not recorded yet.
      ...(shells.startedCount > 1 ? ['modules that Node loads beside the entry point (--import, --require)'] : []),
    ],
    unseenOutput: () => inputs?.unseenOutput() ?? [],
    statementClock,
    ...describeProbes(code),
    undoLog,
    intercept: (interceptor) => inputs?.intercept(interceptor, devices),
    writeCodeCacheSlice: () => code.writeCacheSlice(),
    programState: () =>
      (programState ??= createProgramState({
        realm,
        loaderRealm,
        program,
        code,
        devices,
        hostCallbacks,
        nativeFunctions,
      })),
  };
}

function reachedPackagesOf({ verdicts }: ModuleClassifier): Map<string, string> {
  const versions = new Map<string, string>();
  for (const file of verdicts.keys()) {
    const directory = installedPackage(file)?.directory;
    if (directory === undefined || versions.has(directory)) continue;
    const version = packageScope(join(directory, 'package.json'))?.version;
    if (version !== undefined) versions.set(directory, version);
  }
  return versions;
}

/** Builtins and packages of the program that do I/O or load foreign code. */
function deviceNamesIn({ builtins, packages }: ClassificationReport): string[] {
  return [
    ...builtins.flatMap((each) => (each.class === 'device' || each.class === 'unknown' ? [`node:${each.name}`] : [])),
    ...packages.flatMap((each) => (each.side === 'device' ? [each.name] : [])),
  ];
}

/** Loads program-state on demand: only captures and restores need it. */
async function createProgramState(deps: ProgramStateDeps): Promise<ProgramState> {
  const { ProgramState } = await import('@turntable/program-state');
  return new ProgramState(deps);
}

function countsText({ counts, lines }: CodeLoader): string {
  const { files, transformed, cached, prebuilt, milliseconds } = counts;
  return `turntable: ${files} files, ${lines} lines; ${transformed} transformed, ${cached} from the cache, ${prebuilt} prebuilt, in ${milliseconds.toFixed(1)} ms`;
}

/** Removes the modules that the loader itself has required from `require.cache`. */
function forgetOwnTools(): void {
  for (const filename of Object.keys(NodeModules._cache)) {
    if (isToolPackage(installedPackage(filename)?.name ?? '')) Reflect.deleteProperty(NodeModules._cache, filename);
  }
}
