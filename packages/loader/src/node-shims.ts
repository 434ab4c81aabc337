// Shims for functions of Node that close over functions of the program, such as `util.promisify` and `events.once`. For the program
// they are modules of ours (the folder `node-shims`), transformed and captured as its own files are; for native code they stay Node's.
// Each keeps its place, its name and its identity: one function for both, that looks at who calls. A module is loaded at the first call
// by the program; until then all there is of it is a row of the table.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import events from 'node:events';
import util from 'node:util';
import { evaluateNow, link, loadRequested, resolveExport, type Cell } from '@turntable/core';
import { hasBuiltinView } from './modules/native-modules.ts';
import { nodeShimUrl } from './node-shim-files.ts';
import { replaceFunction, replaceFunctions } from './realm/replaced-functions.ts';
import type { CodeLoader } from './code/code-loader.ts';
import type { EsmProgramHost } from './modules/esm-program-host.ts';
import type { ProgramModules } from './modules/program-modules.ts';

/** As Node has it: the program's is mapped. A binding of the module would follow. */
const { getCallSites } = util;
const UNMAPPED = { sourceMap: false };

type HostPromiseListener = (fn: unknown, promise: object) => void;

let onHostPromise: HostPromiseListener = () => {};

/** Calls `listener` for each promise that a function settles which may be the host's. Owner: the state of this thread's program. */
export function setOnHostPromise(listener: HostPromiseListener): void {
  onHostPromise = listener;
}

type NativeFunction = (this: unknown, ...args: unknown[]) => unknown;
type FunctionHolder = Record<string, unknown>;

/** Where a function stands, and the module of ours that exports one of that name, or of another. */
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
/** Other names of the same functions. */
const ALIASES: readonly (readonly [holder: object, alias: string, name: string])[] = [[util, 'debug', 'debuglog']];

export interface NodeShimDeps {
  readonly program: Pick<ProgramModules, 'esm' | 'builtins'>;
  readonly codeLoader: CodeLoader;
  /** Prefixes of Turntable's own files. */
  readonly ownPrefixes: readonly string[];
}

/** Whether code of the program has called who asks. */
export type IsOfProgram = () => boolean;

/** The functions that were replaced, by name: what the modules call, and what a captured state names them by. */
export function installNodeShims({ program, codeLoader, ownPrefixes }: NodeShimDeps): {
  natives: FunctionHolder;
  isOfProgram: IsOfProgram;
} {
  const natives: FunctionHolder = { noteHostPromise: (fn: unknown, promise: object) => onHostPromise(fn, promise) };

  const isTurntableScript = (scriptName: string): boolean =>
    ownPrefixes.some((prefix) => scriptName.startsWith(prefix));

  function isProgramCaller(caller: { readonly scriptName: string } | undefined): boolean {
    if (caller === undefined) return true;
    const { scriptName } = caller;
    return codeLoader.running.has(scriptName) || scriptName === 'anonymous' || isTurntableScript(scriptName);
  }

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
  replaceFunctions(process, {
    getBuiltinModule(id: string): unknown {
      if (typeof id !== 'string' || !hasBuiltinView(id)) return Reflect.apply(nativeGetBuiltinModule, process, [id]);
      const caller = getCallSites(2, UNMAPPED)[1];
      // As they are published, Turntable's own modules have their builtins from here.
      const isProgramCall = isProgramCaller(caller) && !(caller !== undefined && isTurntableScript(caller.scriptName));
      return isProgramCall ? program.builtins.get(id) : Reflect.apply(nativeGetBuiltinModule, process, [id]);
    },
  });
  // Who calls who calls.
  return { natives, isOfProgram: () => isProgramCaller(getCallSites(3, UNMAPPED)[2]) };
}

/** With what takes time to find and not every program needs. */
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

/** An option that Node gives to itself only: shown by what it asks its options for. */
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
