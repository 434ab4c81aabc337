// `node --import turntable/register app.ts`: from here on this thread's program is loaded transformed. The only module of the house
// with effects on import. Workers inherit `--import` and come through here by themselves.
import { requireNode } from './node-version.ts';

requireNode();
const { createLoaderRealm, install, runtimeTransform, transformer } = await import('@turntable/loader');

install(transformer, createLoaderRealm(runtimeTransform));
