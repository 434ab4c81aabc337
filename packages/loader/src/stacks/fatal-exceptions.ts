// What Node prints above the stack of an error that ends the process: file, line and a caret, taken from where V8 says it was thrown,
// which is emitted code. Node looks up such places in its source maps if there are any. So compiled code names a map (`MAP_COMMENT`),
// and when all handlers have declined, and not before, every file gets one that answers with our own positions.
import Module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect, types } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import type { StackMapping } from '@turntable/core';
import { writeSync } from '../files.ts';
import { exceptionLine } from './exception-line.ts';
import type { CodeLoader } from '../code/code.ts';
import { DeadDeviceError, toldOf } from './dead-device-error.ts';
import { NodeModules } from '../modules/resolution.ts';
import { standingIn } from '../realm/node-host.ts';

/** Ends every compiled text. Nothing is ever read from there. */
export const MAP_COMMENT = '\n//# sourceMappingURL=turntable\n';

interface SourceMapOfNode {
  findEntry: (line: number, column: number) => object;
  payload: unknown;
}
interface MapSupport {
  setSourceMapsSupport(enabled: boolean, options: { nodeModules: boolean }): void;
  getSourceMapsSupport(): { enabled: boolean; nodeModules: boolean; generatedCode: boolean };
  findSourceMap(file: string): SourceMapOfNode | undefined;
}
type Compile = (this: NodeModule, content: string, filename: string) => unknown;
interface NodeProcess {
  listenerCount(event: string): number;
  hasUncaughtExceptionCaptureCallback(): boolean;
  setUncaughtExceptionCaptureCallback(callback: ((error: Error) => void) | null): void;
  _fatalException: Report;
  _tickCallback(): void;
  reallyExit(code: number): never;
}
type Report = (this: unknown, error: unknown, fromPromise: boolean) => boolean;

const { setSourceMapsSupport, getSourceMapsSupport, findSourceMap } = Module as unknown as MapSupport;
const nativeSetImmediate = setImmediate;
const compile = (NodeModules.prototype as unknown as { _compile: Compile })._compile;
const EMPTY_MAP = `//# sourceMappingURL=data:application/json;base64,${btoa('{"version":3,"sources":[],"mappings":""}')}`;

export interface FatalExceptions {
  /** Runs the entry point inside a tick; see `onHandled`. */
  runMain(run: () => void): void;
}

export function installFatalExceptions(code: CodeLoader, mapping: StackMapping): FatalExceptions {
  const process = globalThis.process as unknown as NodeProcess;
  const native = process._fatalException;
  let mainFailed = false;

  process._fatalException = function (error, fromPromise) {
    const wasMain = mainFailed;
    mainFailed = false;
    const handle = (): boolean => Reflect.apply(native, this, [error, fromPromise]) as boolean;
    // Of promises, only that of the entry point comes here.
    standingIn.hasMainFailed = wasMain;
    const handled = fromPromise ? handle() : survive(error, handle);
    standingIn.hasMainFailed = false;
    if (handled && wasMain) runTicks();
    // A worker's error is printed by whoever gets it.
    if (!handled && isMainThread) {
      const line = exceptionLine(error);
      if (line !== undefined) writeSync(2, line);
      provideMaps(code, mapping);
    }
    return handled;
  };

  /** Nobody dies of what stayed behind: Node clears up after it as if the program had caught it. */
  function survive(error: unknown, handle: () => boolean): boolean {
    const isTaken = process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback();
    if (isTaken || !(error instanceof DeadDeviceError)) return handle();
    process.setUncaughtExceptionCaptureCallback(toldOf);
    try {
      return handle();
    } finally {
      process.setUncaughtExceptionCaptureCallback(null);
    }
  }

  /** The entry point failed in a tick of ours, natively in none: those behind it are not to wait for the timers. */
  function runTicks(): void {
    try {
      process._tickCallback();
    } catch (error) {
      if (process._fatalException(error, false)) return;
      // We are inside Node's handler, which has survived the entry point's error and prints nothing for this one.
      writeSync(2, fatalText(error));
      process.reallyExit(Number(globalThis.process.exitCode ?? 1));
    }
  }

  return {
    runMain(run) {
      mainFailed = true;
      // Not caught: V8 would forget where it was thrown.
      run();
      mainFailed = false;
    },
  };
}

/** As if it had been thrown where nothing of the program is on the stack. */
export function tellUncaught(error: unknown): void {
  const process = globalThis.process as unknown as NodeProcess;
  // The end of a worker's thread is for Node to tell the others.
  if (!isMainThread && process.listenerCount('uncaughtException') === 0)
    nativeSetImmediate(() => {
      throw error;
    });
  else if (!process._fatalException(error, false)) {
    writeSync(2, fatalText(error));
    process.reallyExit(Number(globalThis.process.exitCode ?? 1));
  }
}

/** What is printed of one that ends the process where Node does not do it. */
export function fatalText(error: unknown): string {
  return `${types.isNativeError(error) ? '' : 'Uncaught '}${inspect(error)}\n\nNode.js ${globalThis.process.version}\n`;
}

/** Before we have turned them on for our own ends. */
let wanted: boolean | undefined;

/** Whether the program's user wants to see through the source maps that the program brings. */
export function sourceMapsAreWanted(): boolean {
  return wanted ?? process.sourceMapsEnabled;
}

function provideMaps(code: CodeLoader, mapping: StackMapping): void {
  try {
    wanted = process.sourceMapsEnabled;
    setSourceMapsSupport(true, { nodeModules: true });
    for (const [name, { source }] of code.running) {
      if (name.startsWith('data:')) continue;
      const filename = name.startsWith('file:') ? fileURLToPath(name) : name;
      provideMap(filename, name, source, (line, column) => {
        const place = mapping.place(name, line + 1, column + 1, null);
        return place === null || place === undefined || place === 'wrapper'
          ? undefined
          : { file: place.file, line: place.line - 1, column: place.column - 1 };
      });
    }
  } catch {
    // Then Node shows emitted code, which is better than hiding the error behind one of ours.
  }
}

/** Node is about to show a place in the text of `filename` that is one in `source`, which is called `name`. Counted from one. */
export function showElsewhere(
  filename: string,
  { name, source, line, column }: { readonly name: string; readonly source: string } & LineAndColumn,
): void {
  wanted ??= process.sourceMapsEnabled;
  setSourceMapsSupport(true, { nodeModules: true });
  provideMap(filename, name, source, () => ({ line: line - 1, column: column - 1 }));
}

/** Both count from zero. */
interface LineAndColumn {
  /** Another one than the text's own, when the program's source maps are followed. */
  readonly file?: string;
  readonly line: number;
  readonly column: number;
}
type Locate = (line: number, column: number) => LineAndColumn | undefined;

/** Runs `run`, during which an error in the text of `filename` is reported at its place in `source`, which is called `name`. */
export function withErrorsPlaced<T>(filename: string, name: string, source: string, locate: Locate, run: () => T): T {
  const { enabled, ...others } = getSourceMapsSupport();
  if (!enabled) setSourceMapsSupport(true, others);
  try {
    provideMap(filename, name, source, locate);
    return run();
  } finally {
    if (!enabled) setSourceMapsSupport(false, others);
  }
}

/** Tells Node that what it knows as `filename` is `source`, called `name`. */
function provideMap(filename: string, name: string, source: string, locate: Locate): void {
  const module = new NodeModules(filename);
  Reflect.apply(compile, module, [EMPTY_MAP, filename]);
  const map = findSourceMap(filename);
  if (map === undefined) return;
  // Node keeps a map as long as its module lives.
  kept.push(module);
  // Node would print a URL as a path, other than without source maps: at first glance the name does not look like one.
  let glances = 0;
  const shown = { toString: () => (glances++ === 0 ? '' : name) };
  map.findEntry = (line, column) => {
    const place = locate(line, column);
    if (place === undefined) return {};
    const isElsewhere = place.file !== undefined && place.file !== name;
    const originalSource = isElsewhere ? pathToFileURL(place.file).href : shown;
    return { originalLine: place.line, originalColumn: place.column, originalSource };
  };
  Object.defineProperty(map, 'payload', { value: { sources: [shown], sourcesContent: [source] } });
}

const kept: NodeModule[] = [];
