// Weak collections. Entries count only if their keys are reached otherwise, and are written after everything else.

import { passesBrandCheck, hasNoStringKeys, weakMapHas, weakSetHas } from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import type { ObjectKind } from '../object-kind.ts';

const PROBE = {};

export const weakMapKind: ObjectKind = {
  tag: FIRST_KIND + 16,
  name: 'WeakMap',
  prototype: WeakMap.prototype,
  matches: (object) => passesBrandCheck((value: WeakMap<object, unknown>) => weakMapHas(value, PROBE), object),
  isBare: hasNoStringKeys,
  writeHeader: (writer, object) => writer.addWeakCollection(object),
  allocate: () => new WeakMap(),
};

export const weakSetKind: ObjectKind = {
  tag: FIRST_KIND + 17,
  name: 'WeakSet',
  prototype: WeakSet.prototype,
  matches: (object) => passesBrandCheck((value: WeakSet<object>) => weakSetHas(value, PROBE), object),
  isBare: hasNoStringKeys,
  writeHeader: (writer, object) => writer.addWeakCollection(object),
  allocate: () => new WeakSet(),
};

export const WEAK_KINDS: readonly ObjectKind[] = [weakMapKind, weakSetKind];
