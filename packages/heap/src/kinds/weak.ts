// Weak collections: entries count as far as their keys are reached some other way, and are written when all else has been.

import { accepts, hasNoNames, weakMapHas, weakSetHas } from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import type { Kind } from '../kind.ts';

const PROBE = {};

export const weakMap: Kind = {
  tag: FIRST_KIND + 16,
  name: 'WeakMap',
  prototype: WeakMap.prototype,
  is: (object) => accepts((value: WeakMap<object, unknown>) => weakMapHas(value, PROBE), object),
  bare: hasNoNames,
  header: (writer, object) => writer.addWeak(object),
  allocate: () => new WeakMap(),
};

export const weakSet: Kind = {
  tag: FIRST_KIND + 17,
  name: 'WeakSet',
  prototype: WeakSet.prototype,
  is: (object) => accepts((value: WeakSet<object>) => weakSetHas(value, PROBE), object),
  bare: hasNoNames,
  header: (writer, object) => writer.addWeak(object),
  allocate: () => new WeakSet(),
};

export const WEAK_KINDS: readonly Kind[] = [weakMap, weakSet];
