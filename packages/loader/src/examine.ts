// The classification of a program without running it: everything reachable from its entry point, on which side, and why.
import { registerHooks } from 'node:module';
import { explain, type Explanation } from './explain.ts';
import { ownDirectories } from './install.ts';
import { loaderOptions, type LoaderOptions } from './options.ts';
import { Reach } from './reach.ts';
import { answerQuestion, type NextResolve } from './resolution.ts';
import { Sides } from './sides.ts';

export function examine(entryUrl: string, given: Partial<LoaderOptions> = {}): Explanation {
  const sides = new Sides(loaderOptions(given), ownDirectories());
  const hooks = registerHooks({
    resolve: (specifier, context, next) => answerQuestion(specifier, next as NextResolve) ?? next(specifier, context),
  });
  try {
    new Reach(sides, () => entryUrl).explore();
  } finally {
    hooks.deregister();
  }
  return explain(undefined, sides);
}
