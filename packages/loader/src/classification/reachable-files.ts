// The files that the program reaches through literal specifiers of imports and requires, found without running it.
// Devices are not followed. Computed when a device loads a file of an installed package, to decide whether the file is
// the program's.
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
    // A Set iterates over entries that are added meanwhile.
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
    // Loading the file will report the error.
    return undefined;
  }
}
