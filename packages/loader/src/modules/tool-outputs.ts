// Files that a tool such as tsx or ts-node compiles for `require`. The tool's output is part of the program and is
// recorded like the text of a file. A replay uses the recorded output and neither calls the tool nor reads the file.
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
  /** Exports of each tool output that has run, by file, until the load of the file ends. */
  readonly #exports: Map<string, unknown> = new Map();
  /** Recorded outputs that will run when their file is next required. */
  readonly #recordedOutputs: Map<string, string> = new Map();
  #hasUnseenOutput = false;

  constructor(codeLoader: CodeLoader, runner: SourceRunner) {
    this.#codeLoader = codeLoader;
    this.#runner = runner;
  }

  /** Descriptions of uses of tools that a replay cannot repeat. */
  get unreplayableUses(): readonly string[] {
    return this.#hasUnseenOutput ? ['files that a tool compiles to something other than source text for require'] : [];
  }

  /** Whether the recording has an output for a file that is about to be required. Keeps it for `takeRecordedOutput`. */
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

  /** Lets the tool load a file. Its output arrives in `runOutput`. */
  loadWithTool(filename: string, from: NodeModule): unknown {
    this.#exports.delete(filename);
    const exports = runAsTool(() => NodeModules._load(filename, from, false));
    this.#hasUnseenOutput ||= !this.#exports.has(filename) || this.#exports.get(filename) !== exports;
    this.#exports.delete(filename);
    return exports;
  }

  /** Runs the output that a tool has passed to `module._compile`. */
  runOutput(module: NodeModule, source: string, filename: string): void {
    // If the tool was called during a replay, the recorded output takes precedence.
    const output = this.#codeLoader.toolOutput(filename) ?? source;
    this.#codeLoader.noteToolOutput(filename, output);
    // `_compile` belongs to the tool and must not become part of the program's state.
    Reflect.deleteProperty(module, '_compile');
    this.#runner.runSource(module, filename, output);
    this.#exports.set(filename, module.exports);
  }

  /** Runs the recorded output for a file that Node is about to load with a tool. Returns false if there is none. */
  runRecordedOutput(module: NodeModule, filename: string): boolean {
    const output = this.#codeLoader.toolOutput(filename);
    if (output !== undefined) this.#runner.runSource(module, filename, output);
    return output !== undefined;
  }

  /**
   * Runs a file that Node loads outside `require` although a tool handles it. Returns false if no tool does, or if the
   * tool has no output.
   */
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
