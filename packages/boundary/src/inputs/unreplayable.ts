// What calls the program back, or gives it a clock of its own, in ways that no tape follows yet: noted when it is used, however it was come by.
import asyncHooks from 'node:async_hooks';
import vm from 'node:vm';
import type { Asking } from './asking.ts';
import { standInBy } from '@turntable/loader';

export function noteUnreplayable({ cannotReplay, isOutside }: Asking): void {
  const note = (holder: object, name: string, what: (args: readonly unknown[]) => string | undefined): void =>
    standInBy(holder, name, (native, self, args) => {
      const noted = isOutside() ? undefined : what(args);
      if (noted !== undefined) cannotReplay(noted);
      return Reflect.apply(native, self, args);
    });

  note(asyncHooks, 'createHook', () => 'async_hooks.createHook');
  // Each has a `Date` and a `Math.random` of the engine's. Code that runs in the program's own has the program's.
  const context = (): string => 'a context of node:vm, which has a clock of its own';
  const fresh = ([, , options]: readonly unknown[]): string | undefined => (isOfNode(options) ? undefined : context());
  note(vm, 'createContext', ([object]) => (isContext(object) ? undefined : context()));
  note(vm, 'runInNewContext', fresh);
  note(vm.Script.prototype, 'runInNewContext', ([, options]) => fresh([undefined, undefined, options]));
}

/** Node makes one for itself, whoever it is working for. */
function isOfNode(options: unknown): boolean {
  return (options as { readonly contextName?: unknown } | undefined)?.contextName === 'internal';
}

function isContext(object: unknown): boolean {
  return typeof object === 'object' && object !== null && vm.isContext(object);
}
