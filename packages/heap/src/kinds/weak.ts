// Weak things. Entries of weak collections count as far as their keys are reached some other way; a WeakRef's target is state as long
// as it lives. A dead WeakRef comes back as one to an object nobody has.

import { accepts, namesOf, weakMapHas, weakRefTarget, weakSetHas } from '../intrinsics.ts';
import { FIRST_KIND, UNDEFINED } from '../tags.ts';
import type { Kind } from '../kind.ts';

const PROBE = {};
const bare = (object: object): boolean => namesOf(object).length === 0;

export const weakMap: Kind = {
  tag: FIRST_KIND + 16,
  name: 'WeakMap',
  prototype: WeakMap.prototype,
  is: (object) => accepts((value: WeakMap<object, unknown>) => weakMapHas(value, PROBE), object),
  bare,
  header: (writer, object) => writer.addWeak(object),
  allocate: () => new WeakMap(),
};

export const weakSet: Kind = {
  tag: FIRST_KIND + 17,
  name: 'WeakSet',
  prototype: WeakSet.prototype,
  is: (object) => accepts((value: WeakSet<object>) => weakSetHas(value, PROBE), object),
  bare,
  header: (writer, object) => writer.addWeak(object),
  allocate: () => new WeakSet(),
};

export const weakRef: Kind = {
  tag: FIRST_KIND + 18,
  name: 'WeakRef',
  prototype: WeakRef.prototype,
  is: (object) => accepts(weakRefTarget as (value: never) => unknown, object),
  bare,
  header(writer, object) {
    const target = weakRefTarget(object as WeakRef<object>);
    if (target === undefined) writer.byte(UNDEFINED);
    else writer.shallow(target);
  },
  allocate(reader) {
    const at = reader.at;
    const target = reader.value();
    return reader.guarded(at, () => new WeakRef(target === undefined ? {} : (target as object)));
  },
  edges: (object, edge) => edge('.deref()', weakRefTarget(object as WeakRef<object>)),
};

export const WEAK_KINDS: readonly Kind[] = [weakMap, weakSet, weakRef];
