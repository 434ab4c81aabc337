// `Error.prepareStackTrace`: Node asks it for the text of every stack. By default it is ours; one that the program sets gets mapped
// call sites. For that the property is an accessor which tells Node from everybody else: the program reads what it has written, Node
// gets what maps. Taking the property away (`delete`) leaves a second accessor, on `Function.prototype`, that only Node can see into.
import { isAbsolute } from 'node:path';
import util from 'node:util';
import type { CallSite, Realm, StackMapping } from '@turntable/core';
import { standIn } from '../realm/stand-in.ts';

type PrepareStackTrace = (error: Error, sites: readonly CallSite[]) => unknown;

interface ErrorClass {
  prepareStackTrace?: unknown;
  stackTraceLimit: unknown;
}
const ErrorObject = Error as unknown as ErrorClass;
const { captureStackTrace } = Error;

export interface HostCalls {
  /** The function through which the host calls the program: frames from it outward are the host's. */
  callsProgram(...args: never[]): unknown;
}

export function installStackTraces(realm: Realm, mapping: StackMapping, { callsProgram }: HostCalls): void {
  const isTaped = realm.parts.host.tape !== undefined;
  const framesOf = (sites: readonly CallSite[]): readonly CallSite[] =>
    withoutModuleStart(isTaped ? withoutLoop(sites, mapping, callsProgram.name) : sites, mapping);

  function ErrorPrepareStackTrace(error: Error, sites: readonly CallSite[]): unknown {
    return withCode(error, realm.stackText(error, framesOf(sites), mapping, limit()));
  }
  /** What the program has put in the place of ours. */
  let own: unknown = ErrorPrepareStackTrace;
  let collecting = false;
  /** Node reads the property twice: to see whether it is a function, and to call it. */
  let known = false;

  const forOwn: PrepareStackTrace = (error, sites) => {
    known = false;
    const formatter = own as PrepareStackTrace;
    const mapped = realm.callSites(error, framesOf(sites), mapping, limit());
    return Reflect.apply(formatter, Error, [error, mapped]);
  };
  const forNode: PrepareStackTrace = (error, sites) => {
    known = false;
    return ErrorPrepareStackTrace(error, sites);
  };

  function read(this: unknown): unknown {
    if (collecting) return collect;
    if (own === ErrorPrepareStackTrace) return own;
    if (!known && !isCalledByNode(read)) return own;
    known = true;
    return typeof own === 'function' ? forOwn : forNode;
  }

  function write(this: unknown, value: unknown): void {
    if (this !== Error)
      return void Object.defineProperty(this, 'prepareStackTrace', {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    own = value;
    defineOwn();
  }

  function readInherited(this: unknown): unknown {
    if (this !== Error) return undefined;
    if (collecting) return collect;
    return isCalledByNode(readInherited) ? ErrorPrepareStackTrace : undefined;
  }

  function isCalledByNode(reader: () => unknown): boolean {
    const before = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
    collecting = true;
    try {
      ErrorObject.stackTraceLimit = 1;
      const holder: { stack?: unknown } = {};
      captureStackTrace(holder, reader);
      const [caller] = holder.stack as readonly CallSite[];
      return caller?.getFileName() === 'node:internal/errors';
    } catch {
      // Nothing can be told where `Error` is frozen; Node asks more often.
      return true;
    } finally {
      collecting = false;
      if (before === undefined) Reflect.deleteProperty(Error, 'stackTraceLimit');
      else Reflect.defineProperty(Error, 'stackTraceLimit', before);
    }
  }

  function defineOwn(): void {
    Object.defineProperty(Error, 'prepareStackTrace', { get: read, set: write, enumerable: false, configurable: true });
  }
  defineOwn();
  // oxlint-disable-next-line no-extend-native -- see above
  Object.defineProperty(Function.prototype, 'prepareStackTrace', {
    get: readInherited,
    set: write,
    enumerable: false,
    configurable: true,
  });
}

/** `Error.captureStackTrace`: who awaits is known only now, and the text is made when somebody reads it. */
export function noteCaptures(realm: Realm): void {
  const { own } = {
    own(target: object, ...above: readonly unknown[]): void {
      // Without our frame.
      captureStackTrace(target, typeof above[0] === 'function' ? (above[0] as () => unknown) : own);
      realm.noteCapture(target);
    },
  };
  standIn(Error, 'captureStackTrace', own);
}

interface PlainCallSite {
  functionName: string;
  scriptName: string;
  lineNumber: number;
  columnNumber: number;
  column?: number;
}
type GetCallSites = (frameCount?: number, options?: object) => PlainCallSite[];

/** `util.getCallSites`, in terms of what was written. */
export function mapPlainCallSites(realm: Realm, mapping: StackMapping, { callsProgram }: HostCalls): void {
  const isTaped = realm.parts.host.tape !== undefined;
  const holder = util as unknown as { getCallSites: GetCallSites };
  const native = holder.getCallSites;
  const most = 200;
  const isHostCall = (name: string | null, file: string): boolean =>
    name === callsProgram.name && isOurs(file, mapping);
  const taught = {
    getCallSites(...args: Parameters<GetCallSites>): PlainCallSite[] {
      // Whatever is wrong with the arguments, Node says; without its source maps, which are not for emitted code.
      const wanted = typeof args[0] === 'number' ? native(...args).length : DEFAULT_CALL_SITES;
      if (typeof args[0] !== 'number') native(...args);
      const sites = native(most);
      if (isTaped) {
        const end = sites.findIndex(({ functionName, scriptName }) => isHostCall(functionName, scriptName));
        if (end !== -1) sites.length = end;
        while (isOfLoop(sites.at(-1), mapping)) sites.pop();
      }
      const shown = sites.flatMap((site): PlainCallSite[] => {
        const { scriptName, lineNumber, columnNumber, functionName } = site;
        const place = mapping.place(scriptName, lineNumber, columnNumber, functionName);
        if (place === null || place === 'wrapper') return [];
        if (place === undefined) return [site];
        const { line, column, name = functionName } = place;
        const mapped = { ...site, functionName: name, lineNumber: line, columnNumber: column };
        if ('column' in site) mapped.column = column;
        return [mapped];
      });
      return shown.slice(0, wanted);
    },
  };
  Object.defineProperty(taught.getCallSites, 'length', { value: native.length, configurable: true });
  Object.assign(util, taught);
}

function isOfLoop(site: PlainCallSite | undefined, mapping: StackMapping): boolean {
  if (site === undefined) return false;
  const { scriptName, lineNumber, columnNumber } = site;
  return LOOP.has(scriptName) || mapping.place(scriptName, lineNumber, columnNumber, null) === null;
}

const DEFAULT_CALL_SITES = 8;

function collect(_error: Error, sites: readonly CallSite[]): readonly CallSite[] {
  return sites;
}

function limit(): number {
  const { stackTraceLimit } = ErrorObject;
  return typeof stackTraceLimit === 'number' ? stackTraceLimit : Infinity;
}

/** Node's own files through which its loop calls whatever it calls, listeners of `process` among it. */
const LOOP = new Set([
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
 * Without what Node's loop came by to where the program began: that depends on what else waited, and on who watches. In a run again Node has
 * no part in it, and there is no outside: what has called from there, and who had called it, is not told either.
 */
function withoutLoop(sites: readonly CallSite[], mapping: StackMapping, hostCall: string): readonly CallSite[] {
  let end = sites.findIndex((site) => site.getFunctionName() === hostCall && isOurs(site.getFileName(), mapping));
  if (end === -1) end = sites.length;
  for (; end > 0; end--) {
    const site = sites[end - 1] as CallSite;
    const file = site.getFileName();
    if (typeof file !== 'string') break;
    const place = (): unknown => mapping.place(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0, null);
    if (!LOOP.has(file) && place() !== null) break;
  }
  return sites.slice(0, end);
}

function isOurs(file: unknown, mapping: StackMapping): boolean {
  return typeof file === 'string' && mapping.place(file, 1, 1, null) === null;
}

/** Without `Generator.next` by which core evaluates a module: no frame of the program. */
function withoutModuleStart(sites: readonly CallSite[], mapping: StackMapping): CallSite[] {
  return sites.filter((site, i) => {
    const caller = sites[i + 1];
    if (site.getFunctionName() !== 'next' || site.getFileName() || caller === undefined) return true;
    const file = caller.getFileName();
    return typeof file !== 'string' || mapping.place(file, 1, 1, null) !== null;
  });
}

/** Node's own errors show their code in the first line; whoever replaces the formatter has to see to it. */
function withCode(error: Error, text: unknown): unknown {
  if (NODE_ERROR === undefined || typeof text !== 'string' || !(NODE_ERROR in error)) return text;
  const { code, name, message } = error as Error & { code?: string };
  const plain = Error.prototype.toString.call(error);
  return text.startsWith(plain) ? `${name} [${code}]: ${message}${text.slice(plain.length)}` : text;
}

/** The mark of Node's own errors, found on one of them. */
const NODE_ERROR = findNodeErrorMark();

function findNodeErrorMark(): symbol | undefined {
  let error: unknown;
  try {
    isAbsolute(undefined as unknown as string);
  } catch (thrown) {
    error = thrown;
  }
  for (let at = error; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at) as unknown) {
    const mark = Object.getOwnPropertySymbols(at).find((symbol) => symbol.description === 'kIsNodeError');
    if (mark !== undefined) return mark;
  }
  return undefined;
}
