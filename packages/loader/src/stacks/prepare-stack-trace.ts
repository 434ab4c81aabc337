// `Error.prepareStackTrace`, which Node calls to format a stack. The default is Turntable's formatter. A formatter that
// the program sets gets mapped call sites. The property is an accessor that distinguishes Node from other readers: the
// program reads the value that it has set, Node gets a function that maps. After a `delete`, a second accessor on
// `Function.prototype` remains, which shows only Node a value.
import { isAbsolute } from 'node:path';
import util from 'node:util';
import type { CallSite, Realm, StackMapping } from '@turntable/core';
import { replaceFunction } from '../realm/replaced-functions.ts';
import { callerFiles, registerFormatterGetters, siteCollector } from './callers.ts';

type PrepareStackTrace = (error: Error, sites: readonly CallSite[]) => unknown;

interface ErrorClass {
  prepareStackTrace?: unknown;
  stackTraceLimit: unknown;
}
const ErrorObject = Error as unknown as ErrorClass;
const { captureStackTrace } = Error;

export interface HostCallMarker {
  /** The function through which the host calls the program. Its frame and its callers' frames belong to the host. */
  callsProgram(...args: never[]): unknown;
}

export function installStackTraces(realm: Realm, mapping: StackMapping, { callsProgram }: HostCallMarker): void {
  const isTaped = realm.parts.host.tape !== undefined;
  const framesOf = (sites: readonly CallSite[]): readonly CallSite[] =>
    withoutModuleFrames(isTaped ? withoutLoopFrames(sites, mapping, callsProgram.name) : sites, mapping);

  function ErrorPrepareStackTrace(error: Error, sites: readonly CallSite[]): unknown {
    return withErrorCode(error, realm.stackText(error, framesOf(sites), mapping, currentTraceLimit()));
  }
  /** The formatter that the program has set; initially Turntable's. */
  let programFormatter: unknown = ErrorPrepareStackTrace;
  /** Whether Node has read the property to check its type and will read it again to call the formatter. */
  let isKnownNodeRead = false;

  const formatWithProgram: PrepareStackTrace = (error, sites) => {
    isKnownNodeRead = false;
    const formatter = programFormatter as PrepareStackTrace;
    const mapped = realm.callSites(error, framesOf(sites), mapping, currentTraceLimit());
    return Reflect.apply(formatter, Error, [error, mapped]);
  };
  const formatForNode: PrepareStackTrace = (error, sites) => {
    isKnownNodeRead = false;
    return ErrorPrepareStackTrace(error, sites);
  };

  function readProperty(this: unknown): unknown {
    const collector = siteCollector();
    if (collector !== undefined) return collector;
    if (programFormatter === ErrorPrepareStackTrace) return programFormatter;
    if (!isKnownNodeRead && !isCalledByNode(readProperty)) return programFormatter;
    isKnownNodeRead = true;
    return typeof programFormatter === 'function' ? formatWithProgram : formatForNode;
  }

  function writeProperty(this: unknown, value: unknown): void {
    if (this !== Error)
      return void Object.defineProperty(this, 'prepareStackTrace', {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    programFormatter = value;
    defineErrorProperty();
  }

  function readInheritedProperty(this: unknown): unknown {
    if (this !== Error) return undefined;
    const collector = siteCollector();
    if (collector !== undefined) return collector;
    return isCalledByNode(readInheritedProperty) ? ErrorPrepareStackTrace : undefined;
  }

  function defineErrorProperty(): void {
    Object.defineProperty(Error, 'prepareStackTrace', {
      get: readProperty,
      set: writeProperty,
      enumerable: false,
      configurable: true,
    });
  }
  defineErrorProperty();
  registerFormatterGetters(readProperty, readInheritedProperty);
  // oxlint-disable-next-line no-extend-native -- see above
  Object.defineProperty(Function.prototype, 'prepareStackTrace', {
    get: readInheritedProperty,
    set: writeProperty,
    enumerable: false,
    configurable: true,
  });
}

/**
 * `Error.captureStackTrace`: notes the awaiting functions now, since the text is only made when the stack is first
 * read.
 */
export function patchCaptureStackTrace(realm: Realm): void {
  const { own: captureWrapper } = {
    own(target: object, ...hideAbove: readonly unknown[]): void {
      // Hides the frame of the wrapper.
      captureStackTrace(target, typeof hideAbove[0] === 'function' ? (hideAbove[0] as () => unknown) : captureWrapper);
      realm.noteCapture(target);
    },
  };
  replaceFunction(Error, 'captureStackTrace', captureWrapper);
}

interface PlainCallSite {
  functionName: string;
  scriptName: string;
  lineNumber: number;
  columnNumber: number;
  column?: number;
}
type GetCallSites = (frameCount?: number, options?: object) => PlainCallSite[];

/** `util.getCallSites` with original locations. */
export function patchGetCallSites(realm: Realm, mapping: StackMapping, { callsProgram }: HostCallMarker): void {
  const isTaped = realm.parts.host.tape !== undefined;
  const holder = util as unknown as { getCallSites: GetCallSites };
  const native = holder.getCallSites;
  const MAX_SITES = 200;
  const isHostCall = (name: string | null, file: string): boolean =>
    name === callsProgram.name && isTurntableFile(file, mapping);
  const patches = {
    getCallSites(...args: Parameters<GetCallSites>): PlainCallSite[] {
      // Node checks the arguments. Its own source maps are not used, since they do not fit emitted code.
      const requestedCount = typeof args[0] === 'number' ? native(...args).length : DEFAULT_CALL_SITES;
      if (typeof args[0] !== 'number') native(...args);
      const sites = native(MAX_SITES);
      if (isTaped) {
        const end = sites.findIndex(({ functionName, scriptName }) => isHostCall(functionName, scriptName));
        if (end !== -1) sites.length = end;
        while (isLoopSite(sites.at(-1), mapping)) sites.pop();
      }
      const shown = sites.flatMap((site): PlainCallSite[] => {
        const { scriptName, lineNumber, columnNumber, functionName } = site;
        const location = mapping.locate(scriptName, lineNumber, columnNumber, functionName);
        if (location === null || location === 'wrapper') return [];
        if (location === undefined) return [site];
        const { line, column, name = functionName } = location;
        const mapped = { ...site, functionName: name, lineNumber: line, columnNumber: column };
        if ('column' in site) mapped.column = column;
        return [mapped];
      });
      return shown.slice(0, requestedCount);
    },
  };
  Object.defineProperty(patches.getCallSites, 'length', { value: native.length, configurable: true });
  Object.assign(util, patches);
}

function isLoopSite(site: PlainCallSite | undefined, mapping: StackMapping): boolean {
  if (site === undefined) return false;
  const { scriptName, lineNumber, columnNumber } = site;
  return LOOP_SCRIPTS.has(scriptName) || mapping.locate(scriptName, lineNumber, columnNumber, null) === null;
}

const DEFAULT_CALL_SITES = 8;

/** Whether Node calls a getter. Also true if that cannot be decided, since Node is the most frequent reader. */
function isCalledByNode(getter: () => unknown): boolean {
  const files = callerFiles(getter, 1);
  return files === undefined || files[0] === 'node:internal/errors';
}

function currentTraceLimit(): number {
  const { stackTraceLimit } = ErrorObject;
  return typeof stackTraceLimit === 'number' ? stackTraceLimit : Infinity;
}

/** Node's files through which its event loop calls the program, including listeners of `process`. */
const LOOP_SCRIPTS = new Set([
  'node:internal/timers',
  'node:internal/process/task_queues',
  'node:internal/process/promises',
  'node:internal/process/execution',
  'node:internal/process/warning',
  'node:internal/async_hooks',
  'node:async_hooks',
  'node:events',
]);

/**
 * Removes the frames through which Node's loop reached the program: they depend on other pending work and on observers.
 * A replay has no host, so all frames outside a call from the host are removed as well, even frames of the program.
 */
function withoutLoopFrames(sites: readonly CallSite[], mapping: StackMapping, hostCall: string): readonly CallSite[] {
  let end = sites.findIndex(
    (site) => site.getFunctionName() === hostCall && isTurntableFile(site.getFileName(), mapping),
  );
  if (end === -1) end = sites.length;
  for (; end > 0; end--) {
    const site = sites[end - 1] as CallSite;
    const file = site.getFileName();
    if (typeof file !== 'string') break;
    const location = (): unknown => mapping.locate(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0, null);
    if (!LOOP_SCRIPTS.has(file) && location() !== null) break;
  }
  return sites.slice(0, end);
}

function isTurntableFile(file: unknown, mapping: StackMapping): boolean {
  return typeof file === 'string' && mapping.locate(file, 1, 1, null) === null;
}

/** Removes the frame of `Generator.next` through which core evaluates a module. */
function withoutModuleFrames(sites: readonly CallSite[], mapping: StackMapping): CallSite[] {
  return sites.filter((site, i) => {
    const caller = sites[i + 1];
    if (site.getFunctionName() !== 'next' || site.getFileName() || caller === undefined) return true;
    const file = caller.getFileName();
    return typeof file !== 'string' || mapping.locate(file, 1, 1, null) !== null;
  });
}

/** Adds the code to the first line of an error of Node. Node shows it there, but a replaced formatter must add it. */
function withErrorCode(error: Error, text: unknown): unknown {
  if (NODE_ERROR_MARK === undefined || typeof text !== 'string' || !(NODE_ERROR_MARK in error)) return text;
  const { code, name, message } = error as Error & { code?: string };
  const plain = Error.prototype.toString.call(error);
  return text.startsWith(plain) ? `${name} [${code}]: ${message}${text.slice(plain.length)}` : text;
}

/** Symbol that marks Node's own errors; undefined if it cannot be found. */
const NODE_ERROR_MARK = findNodeErrorMark();

function findNodeErrorMark(): symbol | undefined {
  let error: unknown;
  try {
    isAbsolute(undefined as unknown as string);
  } catch (thrown) {
    error = thrown;
  }
  for (
    let prototype = error;
    typeof prototype === 'object' && prototype !== null;
    prototype = Object.getPrototypeOf(prototype) as unknown
  ) {
    const mark = Object.getOwnPropertySymbols(prototype).find((symbol) => symbol.description === 'kIsNodeError');
    if (mark !== undefined) return mark;
  }
  return undefined;
}
