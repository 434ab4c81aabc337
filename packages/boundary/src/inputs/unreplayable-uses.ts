// Reports features that call the program back, or give it another clock, in ways that no tape records. They are
// detected when used.
import asyncHooks from 'node:async_hooks';
import vm from 'node:vm';
import type { InputTape } from './input-tape.ts';
import { wrapFunction } from '@turntable/loader';

export function watchUnreplayableUses({ reportUnreplayable, isHostCaller }: InputTape): void {
  const watch = (holder: object, name: string, describeUse: (args: readonly unknown[]) => string | undefined): void =>
    wrapFunction(holder, name, (native, self, args) => {
      const use = isHostCaller() ? undefined : describeUse(args);
      if (use !== undefined) reportUnreplayable(use);
      return Reflect.apply(native, self, args);
    });

  watch(asyncHooks, 'createHook', () => 'async_hooks.createHook');
  // Each new context has the engine's `Date` and `Math.random`. Code in the program's own context has the replacements.
  const newContext = (): string => 'a context of node:vm, which has a clock of its own';
  const newContextUnlessNode = ([, , options]: readonly unknown[]): string | undefined =>
    isNodeContext(options) ? undefined : newContext();
  watch(vm, 'createContext', ([object]) => (isContext(object) ? undefined : newContext()));
  watch(vm, 'runInNewContext', newContextUnlessNode);
  watch(vm.Script.prototype, 'runInNewContext', ([, options]) => newContextUnlessNode([undefined, undefined, options]));
}

/** Whether Node has created the context for itself, as it does during some calls of the program. */
function isNodeContext(options: unknown): boolean {
  return (options as { readonly contextName?: unknown } | undefined)?.contextName === 'internal';
}

function isContext(object: unknown): boolean {
  return typeof object === 'object' && object !== null && vm.isContext(object);
}
