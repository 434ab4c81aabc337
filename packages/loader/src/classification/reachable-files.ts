// Which files the program itself reaches, without running it: what its modules import and require by literal specifiers, through
// everything that is not a device. Asked only when a device loads a file of an installed package, to know whose it is.
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { importedFile, moduleAt, resolveRequire } from '../node/resolution.ts';
import type { ModuleClassifier } from './module-classifier.ts';

export class ReachableFiles {
  readonly #classifier: ModuleClassifier;
  readonly #entryUrl: () => string | undefined;
  #files: Set<string> | undefined;

  constructor(classifier: ModuleClassifier, entryUrl: () => string | undefined) {
    this.#classifier = classifier;
    this.#entryUrl = entryUrl;
  }

  has(filename: string): boolean {
    return this.files().has(filename);
  }

  files(): ReadonlySet<string> {
    if (this.#files !== undefined) return this.#files;
    const url = this.#entryUrl();
    const files = new Set(url === undefined ? [] : [fileURLToPath(url)]);
    for (const file of files) this.#classifier.classify(file);
    // A Set visits what is added while it is being walked.
    for (const file of files) {
      for (const request of this.#classifier.scan(file)?.requests ?? []) {
        if (isBuiltin(request.specifier)) continue;
        const resolve = request.kind === 'require' ? resolveRequired : importedFile;
        const target = resolve(request.specifier, file);
        if (target !== undefined && this.#classifier.classify(target, file).side === 'program') files.add(target);
      }
    }
    this.#files = files;
    return files;
  }
}

function resolveRequired(specifier: string, file: string): string | undefined {
  try {
    return resolveRequire(specifier, moduleAt(file));
  } catch {
    // Loading it will say that it cannot be found.
    return undefined;
  }
}
