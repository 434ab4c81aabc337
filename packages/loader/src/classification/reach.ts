// Which files the program itself reaches, without running it: what its modules import and require by literal specifiers, through
// everything that is not a device. Asked only when a device loads a file of an installed package, to know whose it is.
import { isBuiltin } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { NodeModules, resolveImport, resolveRequire } from '../node/resolution.ts';
import type { ModuleClassifier } from './module-classifier.ts';

export class Reach {
  readonly #classifier: ModuleClassifier;
  readonly #entry: () => string | undefined;
  #files: Set<string> | undefined;

  constructor(classifier: ModuleClassifier, entry: () => string | undefined) {
    this.#classifier = classifier;
    this.#entry = entry;
  }

  has(filename: string): boolean {
    return this.explore().has(filename);
  }

  /** All of them. */
  explore(): ReadonlySet<string> {
    if (this.#files !== undefined) return this.#files;
    const url = this.#entry();
    const files = new Set(url === undefined ? [] : [fileURLToPath(url)]);
    for (const file of files) this.#classifier.classify(file);
    // A Set visits what is added while it is being walked.
    for (const file of files) {
      for (const request of this.#classifier.scan(file)?.requests ?? []) {
        if (isBuiltin(request.specifier)) continue;
        const target = resolveFrom(file, request.specifier, request.kind === 'require');
        if (target !== undefined && this.#classifier.classify(target, file).side === 'program') files.add(target);
      }
    }
    this.#files = files;
    return files;
  }
}

function resolveFrom(file: string, specifier: string, required: boolean): string | undefined {
  try {
    if (required) {
      const from = new NodeModules(file);
      from.filename = file;
      from.paths = NodeModules._nodeModulePaths(from.path);
      return resolveRequire(specifier, from);
    }
    const { url } = resolveImport(specifier, pathToFileURL(file).href);
    return url.startsWith('file:') ? fileURLToPath(url) : undefined;
  } catch {
    // What cannot be found is reached by nobody; loading it will say so.
    return undefined;
  }
}
