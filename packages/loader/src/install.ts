// Puts the loader into this thread: realm, caches, hooks. The one function with effects on the process; `turntable/register` calls it.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  StatementClock,
  UndoLog,
  watchAbortListeners,
  type AwaitingFrame,
  type CallInterceptor,
  type OriginalPlace,
  type Realm,
} from '@turntable/core';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { CodeCache } from './code/code-cache.ts';
import { CodeLoader, type LoadCounts, type Transformer } from './code/code.ts';
import { LoaderError } from './errors.ts';
import { explain, explanationText, type Explanation } from './sides/explain.ts';
import { installFatalExceptions } from './stacks/fatal-exceptions.ts';
import { hasTools } from './modules/beside-program.ts';
import { installHooks } from './modules/hooks.ts';
import { becomeForeign } from './realm/foreign-code.ts';
import { exportsLent, Lending } from './modules/lending.ts';
import { entryFile, filesLoadedWith } from './modules/loaded-before.ts';
import { placeInsideFunctions } from './inside-functions.ts';
import { teachModule } from './modules/module-builtin.ts';
import { lifetime } from './realm/node-host.ts';
import { nodeMutators } from './realm/node-mutators.ts';
import { placeOnceListeners } from './realm/once-listeners.ts';
import { loaderOptions, type LoaderOptions } from './settings/options.ts';
import { installedPackage, packageScope } from './sides/package-scope.ts';
import { Devices } from './state/devices.ts';
import { ExportedClasses } from './modules/exported-classes.ts';
import { Outside } from './outside.ts';
import { ownDirectories } from './own-packages.ts';
import { Program } from './modules/program.ts';
import { Reach } from './sides/reach.ts';
import { NodeModules } from './modules/resolution.ts';
import { functionPlaces } from './stacks/function-places.ts';
import { followSourceMaps } from './stacks/source-maps.ts';
import { placeUnsettledAwait, unsettledIn, unsettledText } from './stacks/unsettled-await.ts';
import { createStackMapping } from './stacks/stack-mapping.ts';
import { installStackTraces, mapPlainCallSites, noteCaptures } from './stacks/prepare-stack-trace.ts';
import { Shells } from './modules/shells.ts';
import { statementPlaces, type StatementPlaces } from './stacks/statement-places.ts';
import { Sides } from './sides/sides.ts';
import { showTimersPromises } from './timers/promises.ts';
import type { DataSources } from './membrane/hand-made.ts';
import type { LoaderRealm } from './realm/loader-realm.ts';
import type { Elsewhere } from './state/elsewhere.ts';
import { recordedTexts } from './state/recorded-texts.ts';
import type { ProgramState, StateParts } from './state/program-state.ts';

export interface Loader {
  readonly program: Program;
  readonly options: LoaderOptions;
  readonly counts: LoadCounts;
  /** What the program of this thread runs on. */
  readonly realm: Realm;
  readonly classes: ExportedClasses;
  /** What the program has said how to make again. */
  readonly devices: Devices;
  /** For what brings things in from outside by hand, in a thread with a tape. */
  readonly sources: DataSources | undefined;
  /** What may call this thread's program back. */
  readonly outside: Outside;
  /** The frames of who awaits the outcome of an eventual, as in a stack. */
  awaitedBy(eventual: object): readonly string[];
  /** Where a function waits, and what it is called. */
  waitsAt(frame: AwaitingFrame): OriginalPlace | undefined;
  /** Where a function of the program begins, as `file:line`. */
  placeOf(fn: (...args: never[]) => unknown): string | undefined;
  explain(): Explanation;
  /** Installed packages that were reached, by their directories, with their versions. */
  packages(): ReadonlyMap<string, string>;
  /** Tells from now on of the text of each file of the program, when it is read, and of what besides it decides what its code is. */
  onText(listener: (url: string, text: string, settings: string) => void): void;
  /** Tells when it is known what the program is, before anything of it is loaded. */
  onBegin(listener: () => void): void;
  /** When Node has nothing left to do, the program is told so only once this answers that it holds that up no longer. */
  holdUpEnd(isHeldUp: () => boolean): void;
  /** Files have these texts from now on, by their names. */
  useTexts(texts: NonNullable<Elsewhere['texts']>): void;
  /** What the program has come by that cannot be run again yet: devices, and what calls it back unseen. By the names programmers know. */
  unreplayable(): readonly string[];
  /** Of a program whose code has probes. */
  readonly statements: StatementClock | undefined;
  /** What a probe stands for, by the file's id and the number of its statement; nothing for code that the program has made at run time. */
  readonly statementOf: StatementPlaces;
  /** What the program does is undone by this, if it was asked for. */
  readonly undoLog: UndoLog | undefined;
  /** Before the program: intercepts all calls between it and the loader from now on. The tape is not the loader's. */
  intercept(interceptor: CallInterceptor): void;
  /** Keeps some of the code that was transformed here for other processes, where nothing else is to be done. Whether there is more of it. */
  keepCode(): boolean;
  /** For captures of the program's state and for going on from one; asked for before the program is loaded. */
  state(): Promise<ProgramState>;
  /** Takes the hooks out; what is loaded stays. */
  uninstall(): void;
}

/** The same when the program runs already: what it has loaded is native, what it imports from now on is not. */
export function installLate(transformer: Transformer, realm: LoaderRealm, options?: LoaderOptions): Loader {
  const loader = install(transformer, realm, options);
  becomeForeign(false);
  const entry = entryFile();
  if (entry === undefined) return loader;
  const { program } = loader;
  program.nativeEntry = pathToFileURL(entry).href;
  for (const file of filesLoadedWith(entry)) program.nativeFiles.add(file);
  return loader;
}

/** How long the end of a process is held up to keep V8's compiled code. */
const COMPILED_BUDGET_MS = 150;

export function install(
  transformer: Transformer,
  realm: LoaderRealm,
  options: LoaderOptions = loaderOptions(),
): Loader {
  const directory = options.cache;
  const code = new CodeLoader(transformer, directory === false ? undefined : new CodeCache(directory), options.debug);
  const statements = options.debug ? theStatementClock() : undefined;
  const undoLog = options.debug && options.undo ? theUndoLog() : undefined;
  if (options.debug && !options.undo) inlineProbes();
  forgetOwnTools();
  const sides = new Sides(options, ownDirectories(), { cache: code.cache, isRecorded: realm.inputs !== undefined });
  code.texts = realm.inputs?.texts;
  const program: Program = new Program({
    realm: realm.modules,
    code,
    sides,
    outside: realm.inputs?.around.loader,
    found: realm.inputs?.found,
    staysNative: realm.inputs?.staysNative,
  });
  const own = ownDirectories().flatMap((path) => [path, pathToFileURL(path).href]);
  // What was there before us stays native: tools.
  for (const file of Object.keys(NodeModules._cache))
    if (!own.some((prefix) => file.startsWith(prefix))) program.nativeFiles.add(file);
  const areToolsThere = hasTools(process.execArgv, process.env['NODE_OPTIONS'] ?? '', own);
  const { natives, isOfProgram } = placeInsideFunctions({ program, code, own });
  realm.inputs?.placeAround({
    isOfProgram,
    whoseFile: (file) => {
      if (own.some((prefix) => file.startsWith(prefix))) return 'ours';
      const path = file.startsWith('file:') ? fileURLToPath(file) : file;
      // A tool may have been there before us.
      const isTool = areToolsThere && installedPackage(path) !== undefined && !code.running.has(file);
      return isTool || program.nativeFiles.has(path) ? 'device' : undefined;
    },
    hasTools: areToolsThere,
    exportsLent: (url, how) => exportsLent(program, url, how),
  });
  showTimersPromises(program, natives);
  program.natives = natives;
  placeOnceListeners(realm.realm);
  watchAbortListeners(AbortSignal.prototype);
  teachModule(program, (module) => shells.run(module));
  realm.useGraph(program.graph);
  realm.showSources((record) => code.sourceOf(program.runName(record)));
  const mapping = followSourceMaps(createStackMapping(code, own, realm.nativeText), code);
  installStackTraces(realm.realm, mapping);
  mapPlainCallSites(realm.realm, mapping);
  noteCaptures(realm.realm);
  const shells = new Shells(program, installFatalExceptions(code, mapping));
  if (realm.inputs !== undefined)
    realm.inputs.failures.isOfModule = (reason) =>
      shells.begun === 0 || [...program.graph.records.values()].some(({ failure }) => failure?.reason === reason);
  const across = realm.inputs?.around.lend;
  const lending = across === undefined ? undefined : new Lending(program, across);
  if (lending !== undefined) shells.lend = (url, how) => lending.lend(url, how);
  const uninstall = installHooks({
    program,
    shells,
    code,
    lending,
    reach: new Reach(sides, () => program.mainUrl ?? program.nativeEntry),
  });
  process.once('exit', () => {
    if (options.explain) process.stderr.write(`${explanationText(explain(program, sides))}\n\n${countsText(code)}\n`);
    code.keepRest(COMPILED_BUDGET_MS);
  });
  lifetime.whenTold = () => placeUnsettledAwait(program, unsettledIn(program, code, mapping));
  lifetime.unsettled = () => unsettledText(unsettledIn(program, code, mapping));
  const devices = new Devices(realm.realm, realm.inputs?.around.membrane);
  let state: Promise<ProgramState> | undefined;
  installed = {
    program,
    options,
    counts: code.counts,
    realm: realm.realm,
    classes: new ExportedClasses(realm.realm, program),
    devices,
    sources: realm.inputs?.around.membrane,
    outside: new Outside(program, realm.realm, realm.contexts, own),
    awaitedBy: (eventual) => realm.realm.awaitingSites(eventual, mapping).map(String),
    waitsAt: (frame) => mapping.awaiting(frame),
    placeOf: functionPlaces(realm.realm, code, (record) => program.runName(record)),
    explain: () => explain(program, sides),
    packages: () => packagesIn(sides),
    useTexts: (texts) => void (code.recorded = recordedTexts(texts)),
    onText: (listener) =>
      void (code.met = (filename, text, settings) => listener(pathToFileURL(filename).href, text, settings)),
    onBegin: (listener) => void (program.whenBegun = listener),
    holdUpEnd: (isHeldUp) => void (lifetime.isHeldUp = isHeldUp),
    unreplayable: () => [
      // Where it is recorded, what is in no trace is noted when it is used.
      ...(sides.isRecorded ? [] : devicesIn(explain(program, sides))),
      ...(realm.inputs?.unreplayable() ?? []),
      ...program.madeByTools.unseen,
      // When each of them begins is not noted yet.
      ...(shells.begun > 1 ? ['modules that Node loads beside the entry point (--import, --require)'] : []),
    ],
    statements,
    statementOf: statementPlaces(code),
    undoLog,
    intercept: (interceptor) => realm.inputs?.intercept(interceptor, devices),
    keepCode: () => code.keepSome(),
    state: () => (state ??= loadState({ realm: realm.realm, loaderRealm: realm, program, code, devices })),
    uninstall,
  };
  // Until the program begins.
  if (realm.inputs !== undefined) becomeForeign(true);
  return installed;
}

let installed: Loader | undefined;
let statementClock: StatementClock | undefined;

/**
 * V8 inlines by the size of bytecode, most of which are probes here: three times as much, and small functions still count as small. Whatever can be undone is run for a moment: there it does not pay, since of Node's own
 * modules V8 takes nothing from Node's cache where its flags are not those with which that was made.
 */
function inlineProbes(): void {
  for (const limit of ['size=1400', 'size-cumulative=2800', 'size-absolute=14000', 'size-small=80'])
    setFlagsFromString(`--max-inlined-bytecode-${limit}`);
}

/** What probes use is declared once in a context. */
function theStatementClock(): StatementClock {
  return (statementClock ??= new StatementClock(runScript));
}

let undoLogHere: UndoLog | undefined;

/** Before anything of the program runs, and before a capture looks at the language's objects: methods are replaced, once. */
function theUndoLog(): UndoLog {
  return (undoLogHere ??= new UndoLog(theStatementClock(), runScript, nodeMutators()));
}

/** As code of ours: stacks leave it out. */
function runScript(text: string): unknown {
  return new Script(text, { filename: fileURLToPath(import.meta.url) }).runInThisContext();
}

export function isInstalled(): boolean {
  return installed !== undefined;
}

/** The loader of this thread. */
export function installedLoader(): Loader {
  if (installed === undefined)
    throw new LoaderError(
      'TT_NOT_INSTALLED',
      'no loader is in place; start the program with --import turntable/register, or call start() before the first spawn()',
    );
  return installed;
}

function packagesIn({ verdicts }: Sides): Map<string, string> {
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
async function loadState(parts: StateParts): Promise<ProgramState> {
  const { ProgramState } = await import('./state/program-state.ts');
  return new ProgramState(parts);
}

function countsText({ counts, lines }: CodeLoader): string {
  const { files, transformed, cached, prebuilt, milliseconds } = counts;
  return `turntable: ${files} files, ${lines} lines; ${transformed} transformed, ${cached} from the cache, ${prebuilt} prebuilt, in ${milliseconds.toFixed(1)} ms`;
}

/** What the loader itself has required is not the program's: it must not show in `require.cache`. */
function forgetOwnTools(): void {
  for (const filename of Object.keys(NodeModules._cache)) {
    if (/^@?oxc-|^cjs-module-lexer$|^@jridgewell\//.test(installedPackage(filename)?.name ?? ''))
      Reflect.deleteProperty(NodeModules._cache, filename);
  }
}
