// Checks the names of options, so that a misspelt option is an error instead of being ignored.

import { RuntimeError } from './runtime-error.ts';

/** Throws if `options` has a name that is not in `known`. `call`: the function and the option, for the error. */
export function checkOptionNames(call: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options))
    if (!known.includes(name)) {
      // Created here because the first Intl object of a process takes 25 ms, which most processes need not spend.
      const list = new Intl.ListFormat('en', { type: 'conjunction' });
      throw new RuntimeError(
        'TT_OPTIONS',
        `${call} has no option ${JSON.stringify(name)}; ${known.length === 1 ? 'its only option is' : 'its options are'} ${list.format(known)}`,
      );
    }
}
