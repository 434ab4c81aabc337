// The classification of a program without running it: everything reachable from its entry point, on which side, and why.
import { registerHooks } from 'node:module';
import { readFileSync } from '../files.ts';
import type { CodeKind, TransformOptions } from '../code/transformer-port.ts';
import { explain, type Explanation } from './explain.ts';
import { detectFormat, formatOf, isTypeScript } from '../node/format.ts';
import { ownDirectories } from '../own-packages.ts';
import { loaderOptions, type LoaderOptions } from '../settings/options.ts';
import { installedPackage } from '../node/package-scope.ts';
import { Reach } from './reach.ts';
import { answerQuestion, type NextResolve } from '../node/resolution.ts';
import { ModuleClassifier } from './module-classifier.ts';
import { transformer } from '../code/transformer.ts';

export interface Examination extends Explanation {
  /** What of the program cannot be transformed: file, line, column, why, and the way out. */
  readonly refused: readonly string[];
}

export function examine(entryUrl: string, options: LoaderOptions = loaderOptions()): Examination {
  const classifier = new ModuleClassifier(options, ownDirectories(), { isRecorded: options.trace });
  const hooks = registerHooks({
    resolve: (specifier, context, next) => answerQuestion(specifier, next as NextResolve) ?? next(specifier, context),
  });
  try {
    new Reach(classifier, () => entryUrl).explore();
  } finally {
    hooks.deregister();
  }
  return { ...explain(undefined, classifier), refused: [...refusals(classifier)] };
}

function* refusals(classifier: ModuleClassifier): Generator<string> {
  for (const [file, { side }] of classifier.verdicts) {
    // An installed package gets the lenient form, which refuses next to nothing.
    if (side !== 'program' || installedPackage(file) !== undefined) continue;
    const error = refusalIn(file);
    if (error !== undefined) yield error.message;
  }
}

/** Why a file cannot be transformed, if so. */
export function refusalIn(file: string, isLenientAt?: TransformOptions['isLenientAt']): Error | undefined {
  const format = formatOf(file);
  if (format !== undefined && format.format !== 'module' && format.format !== 'commonjs') return undefined;
  try {
    const source = readFileSync(file, 'utf8');
    const kind =
      (format?.format as CodeKind | undefined) ??
      detectFormat(isTypeScript(file) ? transformer.lower(source, file) : source);
    transformer.transform(source, { path: file, kind, ...(isLenientAt === undefined ? {} : { isLenientAt }) });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
