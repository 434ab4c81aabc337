// The classification of a program without running it: all modules that its entry point reaches, their sides and the
// reasons.
import { registerHooks } from 'node:module';
import { readFileSync } from '../files.ts';
import { transformFile, type TransformerOptions } from '../code/local-transform-service.ts';
import type { CodeKind } from '../code/transform-service.ts';
import { createClassificationReport, type ClassificationReport } from './classification-report.ts';
import { detectFormat, formatOf, isTypeScript } from '../node/file-format.ts';
import { ownDirectories } from '../own-packages.ts';
import { loaderOptions, type LoaderOptions } from '../settings/options.ts';
import { installedPackage } from '../node/package-scope.ts';
import { ReachableFiles } from './reachable-files.ts';
import { answerResolveQuery, type NextResolve } from '../node/resolution.ts';
import { ModuleClassifier } from './module-classifier.ts';
import { transformer } from '../code/transformer.ts';

export interface ProgramClassification extends ClassificationReport {
  /** Code that cannot be transformed: file, line, column, reason and remedy. */
  readonly refused: readonly string[];
}

export function classifyProgram(entryUrl: string, options: LoaderOptions = loaderOptions()): ProgramClassification {
  const classifier = new ModuleClassifier(options, ownDirectories(), { isRecorded: options.trace });
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      answerResolveQuery(specifier, next as NextResolve) ?? next(specifier, context),
  });
  try {
    new ReachableFiles(classifier, () => entryUrl).files();
  } finally {
    hooks.deregister();
  }
  return { ...createClassificationReport(undefined, classifier), refused: [...transformErrors(classifier)] };
}

function* transformErrors(classifier: ModuleClassifier): Generator<string> {
  for (const [file, { side }] of classifier.verdicts) {
    // Installed packages are transformed leniently, which refuses almost nothing.
    if (side !== 'program' || installedPackage(file) !== undefined) continue;
    const error = transformErrorOf(file);
    if (error !== undefined) yield error.message;
  }
}

/** The error that transforming a file throws; undefined if there is none or the file is not JavaScript. */
export function transformErrorOf(file: string, isLenientAt?: TransformerOptions['isLenientAt']): Error | undefined {
  const format = formatOf(file);
  if (format !== undefined && format.format !== 'module' && format.format !== 'commonjs') return undefined;
  try {
    const source = readFileSync(file, 'utf8');
    const settings = transformer.settings(file);
    const kind =
      (format?.format as CodeKind | undefined) ??
      detectFormat(isTypeScript(file) ? transformer.lower(source, file, settings) : source);
    transformFile(source, { path: file, kind, settings, ...(isLenientAt === undefined ? {} : { isLenientAt }) });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
