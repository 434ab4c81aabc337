// What the objects of the global object are called in a thread in which Node's lazy classes are loaded `early`, before anything has a name, or
// `late`, after builtins have.
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { KnownObjects } from '@turntable/heap';
import { manualHost } from '../../core/test/manual-host.ts';
import { LazyGlobals } from '../../boundary/src/realm/lazy-globals.ts';

const isLate = process.argv[2] === 'late';
const globals = new LazyGlobals();
if (!isLate) globals.entries();
const realm = createRealm({ ...manualHost(), isProxy: types.isProxy });
const known = new KnownObjects(realm, { isProxy: types.isProxy, unreadGlobals: globals, hostChangeFilter: () => true });
for (const name of ['assert', 'http', 'crypto', 'stream/web', 'worker_threads'])
  known.add(`node:${name}`, process.getBuiltinModule(name) as object);
const wasLoaded = globals.isLoaded;
if (isLate) known.addLate(globals.entries(), globals.isAddedOnLoad);
const names: string[] = [];
known.forEach((object) => names.push(String(known.nameOf(object))));
const hosts = globals.entries().map(([, type]) => known.hostClassOf((type as { prototype: object }).prototype));
const changed = known.changes().map(({ object }) => known.nameOf(object));
console.log(JSON.stringify({ wasLoaded, changed, hosts, names: names.toSorted() }));
