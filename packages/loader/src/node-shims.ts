// Shims for functions of Node that close over functions of the program, such as `util.promisify` and `events.once`. For
// the program they are modules in `node-shims/`, transformed and captured like its own files. For native code they stay
// Node's. A single function, in the same place and with the same name, serves both and checks its caller. A shim's
// module is loaded at the program's first call.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import events from 'node:events';
import util from 'node:util';
import { evaluateNow, link, loadRequested, resolveExport, type Cell } from '@turntable/core';
import { hasBuiltinView } from './modules/native-modules.ts';
import { nodeShimUrl } from './node-shim-files.ts';
import { replaceFunction, replaceFunctions } from './realm/replaced-functions.ts';
import type { IsHostCaller } from './realm/tool-code.ts';
import type { CodeLoader } from './code/code-loader.ts';
import type { EsmProgramHost } from './modules/esm-program-host.ts';
import type { ProgramModules } from './modules/program-modules.ts';

/** Node's own function. The program's version maps locations, which this check does not need. */
const { getCallSites } = util;
const UNMAPPED = { sourceMap: false };

type HostPromiseListener = (fn: unknown, promise: object) => void;

let onHostPromise: HostPromiseListener = () => {};

/** Sets the listener for promises that a native function may settle. Owner: the state of this thread's program. */
export function setOnHostPromise(listener: HostPromiseListener): void {
  onHostPromise = listener;
}

type Caller = Pick<ReturnType<typeof getCallSites>[number], 'scriptName'>;
type NativeFunction = (this: unknown, ...args: unknown[]) => unknown;
type FunctionHolder = Record<string, unknown>;

/** Replaced functions: holder, name, module of the shim, and the name of the shim's export if it differs. */
const SHIMMED_FUNCTIONS: readonly (readonly [holder: object, name: string, file: string, exported?: string])[] = [
  [util, 'promisify', 'promisify'],
  [util, 'callbackify', 'callbackify'],
  [util, 'deprecate', 'deprecate'],
  [util, 'debuglog', 'debuglog'],
  [events, 'once', 'once'],
  [events, 'on', 'on'],
  [events, 'addAbortListener', 'abort-listener'],
  [AbortSignal, 'timeout', 'abort-timeout'],
  [Array, 'fromAsync', 'array-from-async'],
  [AsyncResource.prototype, 'bind', 'async-resource', 'bindToResource'],
  [AsyncResource, 'bind', 'async-resource', 'bindToNewResource'],
  [AsyncLocalStorage, 'bind', 'async-resource', 'bindToContext'],
  [AsyncLocalStorage, 'snapshot', 'async-resource', 'snapshotOfContext'],
];
/** Second names under which Node exports some of these functions. */
const ALIASES: readonly (readonly [holder: object, alias: string, name: string])[] = [[util, 'debug', 'debuglog']];

export interface NodeShimDeps {
  readonly program: Pick<ProgramModules, 'esm' | 'builtins'>;
  readonly codeLoader: CodeLoader;
  /** Prefixes of the file names of Turntable's own code. */
  readonly ownPrefixes: readonly string[];
  /** Whether the caller of a function is not the program. Undefined in a thread without a tape. */
  readonly isHostCaller: IsHostCaller | undefined;
}

/** Installs the shims. Returns the replaced functions by name, for the shim modules and as names in captured states. */
export function installNodeShims({ program, codeLoader, ownPrefixes, isHostCaller }: NodeShimDeps): FunctionHolder {
  const natives: FunctionHolder = { noteHostPromise: (fn: unknown, promise: object) => onHostPromise(fn, promise) };

  const isTurntableScript = (scriptName: string): boolean =>
    ownPrefixes.some((prefix) => scriptName.startsWith(prefix));

  function isProgramCaller(caller: Caller | undefined): boolean {
    if (caller === undefined) return true;
    const { scriptName } = caller;
    return codeLoader.running.has(scriptName) || scriptName === 'anonymous' || isTurntableScript(scriptName);
  }

  /** Whether Node evaluates a module of Turntable's published form, which gets its builtins through this function. */
  const isEvaluation = (caller: Caller | undefined, callerOfCaller: Caller | undefined): boolean =>
    caller !== undefined &&
    isTurntableScript(caller.scriptName) &&
    callerOfCaller?.scriptName.startsWith('node:internal/modules/') === true;

  for (const [holder, name, file, exported = name] of SHIMMED_FUNCTIONS) {
    const native = (holder as FunctionHolder)[name] as NativeFunction | undefined;
    if (native === undefined) continue;
    natives[exported] = native;
    replaceFunctions(holder, {
      [name](this: unknown, ...args: unknown[]): unknown {
        const isProgramCall = isProgramCaller(getCallSites(2, UNMAPPED)[1]);
        const target = isProgramCall ? nodeShim(program.esm, natives, file, exported) : native;
        return Reflect.apply(target, this, args);
      },
    });
  }
  for (const [holder, alias, name] of ALIASES) {
    if ((holder as FunctionHolder)[alias] === natives[name])
      replaceFunction(holder, alias, (holder as FunctionHolder)[name] as NativeFunction);
  }
  const { getBuiltinModule: nativeGetBuiltinModule } = process;
  const patches = {
    getBuiltinModule(id: string): unknown {
      if (typeof id !== 'string' || !hasBuiltinView(id)) return Reflect.apply(nativeGetBuiltinModule, process, [id]);
      const [, caller, callerOfCaller] = getCallSites(3, UNMAPPED);
      const isHostCall =
        isHostCaller === undefined
          ? caller !== undefined && (isTurntableScript(caller.scriptName) || !isProgramCaller(caller))
          : isEvaluation(caller, callerOfCaller) || isHostCaller(patches.getBuiltinModule);
      return isHostCall ? Reflect.apply(nativeGetBuiltinModule, process, [id]) : program.builtins.get(id);
    },
  };
  replaceFunctions(process, patches);
  return natives;
}

/** Adds the natives that take time to find and that few programs need. */
export function completeNatives(natives: FunctionHolder): FunctionHolder {
  natives['resistStopPropagation'] ??= resistStopPropagation();
  return natives;
}

export function nodeShim(esm: EsmProgramHost, natives: FunctionHolder, file: string, name: string): NativeFunction {
  const exported = shimExport(esm, file, name);
  if (exported.isNew) (shimExport(esm, 'natives', 'useNatives').value as NativeFunction)(completeNatives(natives));
  return exported.value as NativeFunction;
}

function shimExport(esm: EsmProgramHost, file: string, name: string): { value: unknown; isNew: boolean } {
  const url = nodeShimUrl(file);
  const record = esm.graph.records.get(url) ?? esm.recordOf(url);
  const isNew = record.status !== 'evaluated';
  if (isNew) {
    loadRequested(record);
    link(record);
    evaluateNow(record);
  }
  return { value: (resolveExport(record, name) as Cell).v, isNew };
}

/** The private symbol of Node's `resistStopPropagation`, found by observing which options Node reads. */
function resistStopPropagation(): symbol | undefined {
  let found: symbol | undefined;
  const options = new Proxy(
    {},
    {
      get(_, key) {
        if (typeof key === 'symbol' && key.description === 'kResistStopPropagation') found = key;
      },
    },
  );
  new EventTarget().addEventListener('x', () => undefined, options);
  return found;
}
