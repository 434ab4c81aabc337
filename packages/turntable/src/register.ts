// `node --import turntable/register app.ts`: from here on this thread's program is loaded transformed. The only module of the house
// with effects on import. Workers inherit `--import` and come through here by themselves.
import { createLoaderRealm, install, runtimeTransform, transformer } from '@turntable/loader';

install(transformer, createLoaderRealm(runtimeTransform));
