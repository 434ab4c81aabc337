// For `--import`: installs the loader with the transform of debug mode, without the code that keeps variables for
// debuggers at suspensions.

import { createLoaderRealm } from '@turntable/boundary';
import { debugTransform, loaderOptions, transformer } from '@turntable/loader';
import { install } from '@turntable/replayer';

const SAVED = /[\w$]+\.kept = \{ at: \d+, [^}]* \}/g;
const RESTORED = /if \([\w$]+\.kept === void 0\) [\w$= ]+; else \{ [^}]* \} /g;

let removed = 0;
const unkept: typeof transformer = {
  ...transformer,
  build: (request) => {
    const built = transformer.build(request);
    const code = built.code.replaceAll(SAVED, '0').replaceAll(RESTORED, '');
    removed += code === built.code ? 0 : 1;
    if (code.includes('.kept')) throw new Error(`the code of ${request.path} still keeps variables`);
    return { ...built, code, compiled: Buffer.alloc(0) };
  },
};
process.once('exit', () => {
  if (removed === 0) console.error('no code of this program keeps variables');
});
install(unkept, createLoaderRealm(debugTransform), { ...loaderOptions({ debug: true }), cache: false });
