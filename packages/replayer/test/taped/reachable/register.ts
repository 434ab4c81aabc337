// Installs a tape like `../register.ts`, and a global function `sideOf` that tells the program on which side of the
// membrane an object is.
import { types } from 'node:util';
import { createLoaderRealm, openTapedProgram } from '@turntable/boundary';
import { internals } from '@turntable/core';
import { loaderOptions, runtimeTransform, transformer } from '@turntable/loader';
import { install } from '@turntable/replayer';
import { MemoryRecorder } from '../tapes.ts';

const realm = createLoaderRealm(runtimeTransform, await openTapedProgram(new MemoryRecorder()));
install(transformer, realm, loaderOptions());
const { statics, membrane } = realm.inputs!.membraneSetup;

/** `guarded`: a handle or code of the program. Otherwise an object of the host itself, with its path if it has one. */
function sideOf(value: object): string {
  if (membrane.isHandle(value)) return 'guarded';
  const hostPath = statics.pathOf(value);
  if (hostPath !== undefined) return `host ${hostPath}`;
  if (types.isProxy(value)) return 'proxy';
  if (typeof value === 'function' && internals.isCapturable(value as () => unknown)) return 'guarded';
  const path = statics.neutralPathOf(value);
  return path === undefined ? 'unknown' : `shared ${path}`;
}
Object.assign(globalThis, { sideOf });
