// Adapts the realm of transformed code to the port of module records.

import type { Realm } from '../realm.ts';
import type { ModuleRealm } from './ports.ts';

export function moduleRealmOf(realm: Realm): ModuleRealm {
  const { eventuals } = realm.parts;
  return {
    createFrame: (step) => new realm.Frame(step as never),
    async: (frame) => realm.async(frame as never) as object,
    await: (frame, k, value) => realm.await(frame as never, k, value),
    createEventual: () => eventuals.create(),
    resolveEventual: (eventual, value) => eventuals.resolve(eventual as never, value),
    rejectEventual: (eventual, reason) => eventuals.reject(eventual as never, reason),
    realmForCode: realm,
  };
}
