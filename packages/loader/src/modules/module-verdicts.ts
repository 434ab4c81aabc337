// Decides for this thread whether a file is part of the program or native. The classifier decides by the file's content
// and package, but a file has one instance, so a file that Node has already loaded natively stays native.
import type { ModuleClassifier } from '../classification/module-classifier.ts';
import type { OwnModules } from './own-modules.ts';

/** Whether a file of the program stays native. `isLoaded`: Node has already loaded the file for a device. */
export type StaysNative = (filename: string, isLoaded: boolean) => boolean;

export interface ModuleVerdictsDeps {
  readonly classifier: ModuleClassifier;
  readonly ownModules: OwnModules;
  /** Whether devices are loaded beyond a membrane. */
  readonly hasMembrane: boolean;
  /** Records or replays whether a file stays native. Given only in a thread with a tape. */
  readonly staysNative: StaysNative | undefined;
}

export class ModuleVerdicts {
  readonly hasMembrane: boolean;
  readonly #classifier: ModuleClassifier;
  readonly #ownModules: OwnModules;
  readonly #staysNative: StaysNative | undefined;
  readonly #nativeFiles: Set<string> = new Set();

  constructor({ classifier, ownModules, hasMembrane, staysNative }: ModuleVerdictsDeps) {
    this.#classifier = classifier;
    this.#ownModules = ownModules;
    this.hasMembrane = hasMembrane;
    this.#staysNative = staysNative;
  }

  /** Files that Node has loaded natively. */
  get nativeFiles(): ReadonlySet<string> {
    return this.#nativeFiles;
  }

  /** Notes that Node has loaded `filename` natively or is about to. */
  addNative(filename: string): void {
    this.#nativeFiles.add(filename);
  }

  /** Whether a file belongs to a device or was loaded by one. */
  isNative(filename: string, importer?: string): boolean {
    return this.#nativeFiles.has(filename) || this.#classifier.classify(filename, importer).side !== 'program';
  }

  /** Whether a file that the program requests is loaded natively. In a thread with a tape the answer is recorded. */
  shouldLoadNatively(filename: string, importer: string | undefined): boolean {
    if (this.#staysNative === undefined) return this.isNative(filename, importer);
    if (this.#classifier.classify(filename, importer).side !== 'program') return true;
    if (!this.#staysNative(filename, this.#nativeFiles.has(filename))) return false;
    this.#nativeFiles.add(filename);
    return true;
  }

  /** Whether a file belongs to a device beyond a membrane. */
  isBeyondMembrane(filename: string): boolean {
    return this.hasMembrane && this.isNative(filename) && !this.#ownModules.has(filename);
  }

  /** Whether a file was loaded as a device or for one. */
  isDeviceFile(filename: string): boolean {
    return this.#nativeFiles.has(filename) && !this.#ownModules.has(filename);
  }
}
