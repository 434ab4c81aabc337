// Files of which a tool makes a text for `require` (tsx, ts-node): the text is the program's, recorded like those of files. A run again takes it, and neither calls the
// tool nor reads the file. What else a tool may make of a file nobody has seen, and is told.
import { extname } from 'node:path';
import type { CodeLoader } from '../code/code.ts';
import { whileForeign } from '../realm/foreign-code.ts';
import { loaderOf } from '../node/file-loaders.ts';
import { NodeModules } from '../node/resolution.ts';

export interface TextRunner {
  createModule(filename: string, parent: undefined): object;
  runText(module: NodeModule, filename: string, text: string): void;
}

export class MadeByTools {
  readonly #code: CodeLoader;
  readonly #runner: TextRunner;
  /** Of files that are being loaded: what their texts have exported when they had run. */
  readonly #exports: Map<string, unknown> = new Map();
  /** Texts that are run in the places of files, the next time that these are required. */
  readonly #given: Map<string, string> = new Map();
  #isElsewhere = false;

  constructor(code: CodeLoader, runner: TextRunner) {
    this.#code = code;
    this.#runner = runner;
  }

  /** What of the program was made in a way that a run again cannot repeat, in words. */
  get unseen(): readonly string[] {
    return this.#isElsewhere ? ['files of which another tool has made something else than a text for require'] : [];
  }

  /** A file is about to be required: whether it has its text from a recording. */
  isGiven(filename: string): boolean {
    const made = this.#code.made(filename);
    if (made !== undefined) this.#given.set(filename, made);
    return made !== undefined;
  }

  takeGiven(filename: string): string | undefined {
    const given = this.#given.get(filename);
    this.#given.delete(filename);
    return given;
  }

  /** By the tool; what it makes of the file comes to `compile`. */
  load(filename: string, from: NodeModule): unknown {
    this.#exports.delete(filename);
    const exports = whileForeign(() => NodeModules._load(filename, from, false));
    this.#isElsewhere ||= !this.#exports.has(filename) || this.#exports.get(filename) !== exports;
    this.#exports.delete(filename);
    return exports;
  }

  /** What a tool has made of a file. */
  compile(module: NodeModule, source: string, filename: string): void {
    // It may have been called in a run again all the same.
    const text = this.#code.made(filename) ?? source;
    this.#code.take(filename, text);
    // By which the tool has come to the text; it would be the program's state.
    Reflect.deleteProperty(module, '_compile');
    this.#runner.runText(module, filename, text);
    this.#exports.set(filename, module.exports);
  }

  /** Of a file that Node is about to load by a tool: whether what that had made of it has been run instead. */
  runsGiven(module: NodeModule, filename: string): boolean {
    const made = this.#code.made(filename);
    if (made !== undefined) this.#runner.runText(module, filename, made);
    return made !== undefined;
  }

  /** Of a file that Node loads, though a tool does so for `require`: the same, or what the tool makes of it now. */
  runs(module: NodeModule, filename: string): boolean {
    if (loaderOf(filename) !== 'tool') return false;
    if (this.runsGiven(module, filename)) return true;
    const stand = this.#runner.createModule(filename, undefined) as NodeModule;
    let text: string | undefined;
    Object.assign(stand, { _compile: (made: string): void => void (text ??= made) });
    whileForeign(() => NodeModules._extensions[extname(filename)]?.(stand, filename));
    if (text === undefined) return false;
    this.#code.take(filename, text);
    this.#runner.runText(module, filename, text);
    return true;
  }
}
