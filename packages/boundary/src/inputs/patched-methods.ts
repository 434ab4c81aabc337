// Finds patched methods of classes that both sides share. Node's own code calls these methods on its own objects, which
// the membrane does not see, so such a program is reported as not replayable.
import { EventEmitter } from 'node:events';
import { types } from 'node:util';
import { internals } from '@turntable/core';

const SHARED_CLASSES: readonly (readonly [name: string, prototype: object])[] = [
  ['EventEmitter', EventEmitter.prototype],
  ['EventTarget', EventTarget.prototype],
];
const { ownKeys, getOwnPropertyDescriptor } = Reflect;

/** Returns the names of patched methods, such as `EventEmitter.prototype.emit`. */
export function patchedMethods(): string[] {
  return SHARED_CLASSES.flatMap(([name, prototype]) =>
    ownKeys(prototype).flatMap((key) =>
      isProgramFunction(getOwnPropertyDescriptor(prototype, key)?.value) ? [`${name}.prototype.${String(key)}`] : [],
    ),
  );
}

function isProgramFunction(value: unknown): boolean {
  if (typeof value !== 'function') return false;
  const target = internals.boundParts(value as () => unknown)?.target ?? value;
  return types.isProxy(target) || internals.isCapturable(target as () => unknown);
}
