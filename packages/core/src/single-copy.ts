// Ensures that a thread loads core only once: a second copy throws. A second copy can be another version in a
// dependency, or sources beside the build. The promises and frames of one copy are foreign objects to the other, so
// captures would lose them silently.

import { VERSION } from './abi.ts';
import { CoreError } from './core-error.ts';
import { defineProperty } from './intrinsics.ts';

/** Property of the global object that holds the name of the loaded core. The loader hides it from programs. */
export const CORE_SYMBOL: unique symbol = Symbol.for('turntable.core');

/** Path of this module; a placeholder where core runs as a script. */
const modulePath = (import.meta.url as string | undefined)?.replace(/^file:\/\//, '') ?? 'in a script';
const name = `@turntable/core ${VERSION} (${modulePath})`;

const holder = globalThis as { [CORE_SYMBOL]?: string };
const loadedCopy = holder[CORE_SYMBOL];
if (loadedCopy !== undefined)
  throw new CoreError(
    'TT_SECOND_COPY',
    `${loadedCopy} is already loaded, and ${name} is a second copy: neither can capture objects of the other; ` +
      'install one version of turntable for all packages (npm ls turntable lists the copies)',
  );
defineProperty(holder, CORE_SYMBOL, { value: name, enumerable: false, configurable: true });
