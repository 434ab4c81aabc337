// Classes that both sides of the membrane share, and Node's own code calls by their names: what a program puts in the places of their methods, Node
// calls with its own objects, and nobody notices. So it is noticed that it has been put there, and said.
import { EventEmitter } from 'node:events';
import { types } from 'node:util';
import { internals } from '@turntable/core';

const SHARED_CLASSES: readonly (readonly [name: string, prototype: object])[] = [
  ['EventEmitter', EventEmitter.prototype],
  ['EventTarget', EventTarget.prototype],
];
const { ownKeys, getOwnPropertyDescriptor } = Reflect;

/** As programmers write them: `EventEmitter.prototype.emit`. */
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
