// `node --import turntable/register app.ts`: from here on this thread's program is loaded transformed. The only module of the house
// with effects on import. Workers inherit `--import` and come through here by themselves.
import { isMainThread } from 'node:worker_threads';
import { isContinuing } from './continuation.ts';
import { captureSettings } from './capture-settings.ts';
import { requireNode } from './node-version.ts';

requireNode();
const { createLoaderRealm, install, loaderOptions, runtimeTransform, transformer } = await import('@turntable/loader');

// First, so that a file of settings sees nothing but Node.
const options = loaderOptions();
const loader = install(transformer, createLoaderRealm(runtimeTransform), options);

if (isMainThread && options.recordings !== false && !isContinuing(process.env)) {
  const { recordHere } = await import('./record-here.ts');
  await recordHere(loader, options.recordings);
}

const capture = isMainThread ? captureSettings(process.env) : undefined;
if (capture !== undefined) {
  const { captureOnce } = await import('./capture-once.ts');
  await captureOnce(loader, capture, isContinuing(process.env));
}
