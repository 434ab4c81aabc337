// Files of which a tool makes a text for `require` (tsx, ts-node): the text is the program's, recorded like those of files. A run again takes it, and neither calls the
// tool nor reads the file. What else a tool may make of a file nobody has seen, and is told.
import { extname } from 'node:path';
import type { CodeLoader } from '../code/code-loader.ts';
import { runAsTool } from '../realm/tool-code.ts';
import { loaderOf } from '../node/file-loaders.ts';
import { NodeModules } from '../node/resolution.ts';

export interface SourceRunner {
  createModule(filename: string, parent: undefined): object;
  runSource(module: NodeModule, filename: string, source: string): void;
}

export class ToolOutputs {
  readonly #codeLoader: CodeLoader;
  readonly #runner: SourceRunner;
  /** Of files that are being loaded: what their texts have exported when they had run. */
  readonly #exports: Map<string, unknown> = new Map();
  /** Texts that are run in the places of files, the next time that these are required. */
  readonly #recordedOutputs: Map<string, string> = new Map();
  #hasUnseenOutput = false;

  constructor(codeLoader: CodeLoader, runner: SourceRunner) {
    this.#codeLoader = codeLoader;
    this.#runner = runner;
  }

  /** What of the program was made in a way that a run again cannot repeat, in words. */
  get unreplayableUses(): readonly string[] {
    return this.#hasUnseenOutput ? ['files of which another tool has made something else than a text for require'] : [];
  }

  /** A file is about to be required: whether it has its text from a recording. */
  hasRecordedOutput(filename: string): boolean {
    const output = this.#codeLoader.toolOutput(filename);
    if (output !== undefined) this.#recordedOutputs.set(filename, output);
    return output !== undefined;
  }

  takeRecordedOutput(filename: string): string | undefined {
    const output = this.#recordedOutputs.get(filename);
    this.#recordedOutputs.delete(filename);
    return output;
  }

  /** By the tool; what it makes of the file comes to `runOutput`. */
  loadWithTool(filename: string, from: NodeModule): unknown {
    this.#exports.delete(filename);
    const exports = runAsTool(() => NodeModules._load(filename, from, false));
    this.#hasUnseenOutput ||= !this.#exports.has(filename) || this.#exports.get(filename) !== exports;
    this.#exports.delete(filename);
    return exports;
  }

  /** What a tool has made of a file. */
  runOutput(module: NodeModule, source: string, filename: string): void {
    // It may have been called in a run again all the same.
    const output = this.#codeLoader.toolOutput(filename) ?? source;
    this.#codeLoader.noteToolOutput(filename, output);
    // By which the tool has come to the text; it would be the program's state.
    Reflect.deleteProperty(module, '_compile');
    this.#runner.runSource(module, filename, output);
    this.#exports.set(filename, module.exports);
  }

  /** Of a file that Node is about to load by a tool: whether what that had made of it has been run instead. */
  runRecordedOutput(module: NodeModule, filename: string): boolean {
    const output = this.#codeLoader.toolOutput(filename);
    if (output !== undefined) this.#runner.runSource(module, filename, output);
    return output !== undefined;
  }

  /** Of a file that Node loads, though a tool does so for `require`: the same, or what the tool makes of it now. */
  runWithoutRequire(module: NodeModule, filename: string): boolean {
    if (loaderOf(filename) !== 'tool') return false;
    if (this.runRecordedOutput(module, filename)) return true;
    const placeholderModule = this.#runner.createModule(filename, undefined) as NodeModule;
    let output: string | undefined;
    Object.assign(placeholderModule, { _compile: (source: string): void => void (output ??= source) });
    runAsTool(() => NodeModules._extensions[extname(filename)]?.(placeholderModule, filename));
    if (output === undefined) return false;
    this.#codeLoader.noteToolOutput(filename, output);
    this.#runner.runSource(module, filename, output);
    return true;
  }
}
