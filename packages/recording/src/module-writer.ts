// Writes the modules of a recording: their texts, and a log of the modules that its manifest does not list yet.

import { dirname } from 'node:path';
import { writeFileAtomically } from './atomic-file.ts';
import type { ManifestModule } from './manifest.ts';
import { ModuleLog } from './module-log.ts';
import { encodeSource, sha256Of, sourcePath } from './module-sources.ts';
import type { RecordingSeal } from './sealed/recording-seal.ts';

export class ModuleWriter {
  readonly #directory: string;
  readonly #seal: RecordingSeal | undefined;
  readonly #onWritten: (path: string) => void;
  readonly #log: ModuleLog;
  readonly #known = new Set<string>();
  /** Modules in the order of their addition. */
  readonly #modules: ManifestModule[] = [];
  /** Compressed texts by digest. They are kept, because the directory may have to be made again. */
  readonly #texts = new Map<string, Uint8Array>();
  readonly #writtenDigests = new Set<string>();
  /** Number of modules whose texts are written. */
  #writtenCount = 0;
  /** Number of modules in the log, and how many of them are in the manifest. */
  #loggedCount = 0;
  #loggedCountInManifest = 0;

  /** @param onWritten called with each path that must be synced to the disk */
  constructor(directory: string, seal: RecordingSeal | undefined, onWritten: (path: string) => void) {
    this.#directory = directory;
    this.#seal = seal;
    this.#onWritten = onWritten;
    this.#log = new ModuleLog(directory, seal);
  }

  /** Modules whose texts are written. */
  get written(): readonly ManifestModule[] {
    return this.#modules.slice(0, this.#writtenCount);
  }

  /** Returns whether the module is new. Its text is written by the next `write`. */
  add(url: string, source: string, settings: string): boolean {
    const sha256 = sha256Of(source);
    const key = `${sha256} ${url}`;
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    this.#modules.push({ url, sha256, ...(settings === '' ? {} : { settings }) });
    if (!this.#texts.has(sha256)) this.#texts.set(sha256, encodeSource(source));
    return true;
  }

  write(): void {
    for (let next = this.#modules[this.#writtenCount]; next !== undefined; next = this.#modules[this.#writtenCount]) {
      this.#writeText(next.sha256);
      this.#log.append(next, this.#writtenCount);
      this.#loggedCount++;
      this.#onWritten(this.#log.path);
      this.#onWritten(this.#directory);
      this.#writtenCount++;
    }
  }

  #writeText(sha256: string): void {
    const text = this.#texts.get(sha256);
    if (text === undefined || this.#writtenDigests.has(sha256)) return;
    const path = sourcePath(this.#directory, sha256);
    writeFileAtomically(path, text, false, this.#seal);
    this.#writtenDigests.add(sha256);
    this.#onWritten(path);
    this.#onWritten(dirname(path));
  }

  /** Must be called when the manifest is written with all modules in `written`. */
  manifestWritten(): void {
    this.#loggedCountInManifest = this.#loggedCount;
  }

  /** Returns a function that empties the log if the manifest has all of its modules. The manifest must be synced. */
  logCleaner(): () => void {
    const logged = this.#loggedCount;
    const isComplete = logged > 0 && logged === this.#loggedCountInManifest;
    return () => {
      if (!isComplete || logged !== this.#loggedCount) return;
      this.#log.clear();
      this.#loggedCount = this.#loggedCountInManifest = 0;
    };
  }

  removeLog(): void {
    this.#log.remove();
  }

  /** Makes the next `write` write all modules, because the directory was removed. */
  restart(): void {
    this.#log.close();
    this.#writtenDigests.clear();
    this.#writtenCount = this.#loggedCount = this.#loggedCountInManifest = 0;
  }
}
