// `node --import turntable/register app.ts`: from here on this thread's program is loaded transformed. The only module of the house
// with effects on import. Workers inherit `--import` and come through here by themselves.
import { requireNode } from './node-version.ts';

requireNode();
const { createLoaderRealm, install, loaderOptions, runtimeTransform, transformer } = await import('@turntable/loader');

// First, so that a file of settings sees nothing but Node.
const options = loaderOptions();
install(transformer, createLoaderRealm(runtimeTransform), options);
