// What calls the program back, or gives it a clock of its own, in ways that no tape follows yet: noted when it is used, however it was come by.
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
  // Each has a `Date` and a `Math.random` of the engine's. Code that runs in the program's own has the program's.
  const newContext = (): string => 'a context of node:vm, which has a clock of its own';
  const newContextUnlessNode = ([, , options]: readonly unknown[]): string | undefined =>
    isNodeContext(options) ? undefined : newContext();
  watch(vm, 'createContext', ([object]) => (isContext(object) ? undefined : newContext()));
  watch(vm, 'runInNewContext', newContextUnlessNode);
  watch(vm.Script.prototype, 'runInNewContext', ([, options]) => newContextUnlessNode([undefined, undefined, options]));
}

/** Node makes one for itself, whoever it is working for. */
function isNodeContext(options: unknown): boolean {
  return (options as { readonly contextName?: unknown } | undefined)?.contextName === 'internal';
}

function isContext(object: unknown): boolean {
  return typeof object === 'object' && object !== null && vm.isContext(object);
}
