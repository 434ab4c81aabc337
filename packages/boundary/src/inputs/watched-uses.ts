// Watches features that call the program back, or give it another clock, in ways that no tape records.
import asyncHooks from 'node:async_hooks';
import perfHooks from 'node:perf_hooks';
import v8 from 'node:v8';
import vm from 'node:vm';
import type { InputTape } from './input-tape.ts';
import { callerFiles, replaceFunction, wrapFunction } from '@turntable/loader';

type WatchedCall = Parameters<typeof wrapFunction>[2];

/** @param onOwnContext called before `node:vm` compiles text of the program for the program's own context */
export function watchUnreplayableUses({ reportUnreplayable, isHostCaller }: InputTape, onOwnContext: () => void): void {
  const watch = (
    holder: object,
    name: string,
    describeUse: (args: readonly unknown[]) => string | undefined,
    isIgnored: (onCall: WatchedCall) => boolean = () => false,
  ): void => {
    const onCall: WatchedCall = (native, self, args) => {
      const use = isHostCaller() || isIgnored(onCall) ? undefined : describeUse(args);
      if (use !== undefined) reportUnreplayable(use);
      return Reflect.apply(native, self, args);
    };
    wrapFunction(holder, name, onCall);
  };

  watch(asyncHooks, 'createHook', () => 'async_hooks.createHook');
  // Node calls them too, for hooks of `async_hooks`.
  for (const name of Object.keys(v8.promiseHooks))
    watch(v8.promiseHooks, name, () => `v8.promiseHooks.${name}`, isCalledByNode);
  const timedFunction = ([, options]: readonly unknown[]): string | undefined =>
    (options as { readonly histogram?: unknown } | undefined)?.histogram === undefined
      ? undefined
      : 'performance.timerify with a histogram';
  watch(Reflect.getPrototypeOf(performance) as object, 'timerify', timedFunction);
  if ('timerify' in perfHooks) watch(perfHooks, 'timerify', timedFunction);
  // Each new context has the engine's `Date` and `Math.random`. Code in the program's own context has the replacements.
  const newContext = (): string => 'a context of node:vm, which has a clock of its own';
  const newContextUnlessNode = ([, , options]: readonly unknown[]): string | undefined =>
    isNodeContext(options) ? undefined : newContext();
  watch(vm, 'createContext', ([object]) => (isContext(object) ? undefined : newContext()));
  watch(vm, 'runInNewContext', newContextUnlessNode);
  watch(vm.Script.prototype, 'runInNewContext', ([, options]) => newContextUnlessNode([undefined, undefined, options]));

  const nativeUse = (options: unknown): string | undefined => {
    onOwnContext();
    return nativeImports(options);
  };
  watch(vm, 'runInThisContext', ([, options]) => nativeUse(options));
  watch(vm, 'compileFunction', ([, , options]) => nativeUse(options));
  if ('createScript' in vm) watch(vm, 'createScript', ([, options]) => nativeUse(options));
  const { Script } = vm;
  const watchedScript = new Proxy(Script, {
    construct(target, args: readonly unknown[], newTarget) {
      const use = isHostCaller() ? undefined : nativeUse(args[1]);
      if (use !== undefined) reportUnreplayable(use);
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
  replaceFunction(vm, 'Script', watchedScript as unknown as () => unknown);
  Object.defineProperty(Script.prototype, 'constructor', { value: watchedScript, writable: true, configurable: true });
}

/** Whether Node itself calls a watched function, through its wrapper. */
function isCalledByNode(onCall: WatchedCall): boolean {
  return callerFiles(onCall, 2)?.[1]?.startsWith('node:') === true;
}

/** With this option, `import()` in the code gives Node's own modules. */
function nativeImports(options: unknown): string | undefined {
  const { importModuleDynamically } = (options ?? {}) as { readonly importModuleDynamically?: unknown };
  return importModuleDynamically === vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
    ? 'USE_MAIN_CONTEXT_DEFAULT_LOADER of node:vm'
    : undefined;
}

/** Whether Node has created the context for itself, as it does during some calls of the program. */
function isNodeContext(options: unknown): boolean {
  return (options as { readonly contextName?: unknown } | undefined)?.contextName === 'internal';
}

function isContext(object: unknown): boolean {
  return typeof object === 'object' && object !== null && vm.isContext(object);
}
