// One core in a thread. Two of them (a dependency that brings another version, sources beside what is made of them) each know half of what the program has:
// promises and frames of one are foreign objects for the other, and captures lose them without a word. So the second one does not load.

import { VERSION } from './abi.ts';
import { CoreError } from './core-error.ts';
import { defineProperty } from './intrinsics.ts';

/** Where the first one stands in the global object; the loader shows it to no program. */
export const CORE_SYMBOL: unique symbol = Symbol.for('turntable.core');

/** Where it has been made a script of, it stands nowhere. */
const modulePath = (import.meta.url as string | undefined)?.replace(/^file:\/\//, '') ?? 'in a script';
const name = `@turntable/core ${VERSION} (${modulePath})`;

const holder = globalThis as { [CORE_SYMBOL]?: string };
const loadedCopy = holder[CORE_SYMBOL];
if (loadedCopy !== undefined)
  throw new CoreError(
    'TT_SECOND_COPY',
    `${loadedCopy} is loaded already, and now ${name}: neither could capture what the other makes; ` +
      'let all packages have one version of turntable (npm ls turntable says who brings which)',
  );
defineProperty(holder, CORE_SYMBOL, { value: name, enumerable: false, configurable: true });
