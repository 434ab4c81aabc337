// Shells: short generated texts that Node loads instead of a transformed module, under the module's URL, for native
// importers (the entry point, devices, tools). The shell of an ES module has the module's export names, with live
// bindings where possible. The shell of a CommonJS file passes its `module` to the program, so that native code and the
// program share it. Shells reach the loader through a hidden property of the global object.
import {
  Cell,
  evaluateForHost,
  evaluateNow,
  exportedNames,
  hasAsyncGraph,
  link,
  resolveExport,
  type ModuleRecord,
} from '@turntable/core';
import { receiveValue } from './native-source.ts';
import { LoaderError } from '../errors.ts';
import { SHELLS_KEY } from '../realm/hidden-globals.ts';
import { setToolRunning } from '../realm/tool-code.ts';
import { MAP_COMMENT } from '../source-maps/provided-maps.ts';
import type { BindingSetter } from './live-bindings.ts';
import type { ProgramModules } from './program-modules.ts';

// Node's own function: the program's replacement queues nothing before the program has begun.
const nativeNextTick = process.nextTick;

/** Marks the URL of a second shell, for native code that imports a module whose first shell waits for that code. */
const SECOND_SHELL_SUFFIX = '#turntable-again';

export type RequestKind = 'import' | 'require';

/** Returns a device's host view of a module of the program, see `lent-modules.ts`. */
export type LendToDevice = (url: string, requestKind: RequestKind) => object;

/** Runs the entry point so that its exceptions are reported as by Node. */
export interface MainRunner {
  runMain(run: () => void): void;
}

const RUN_SHELL = "globalThis[Symbol.for('turntable.shells')].run(module);\n";

/** Whether a text is the shell of a CommonJS file. */
export function isShell(source: string): boolean {
  return source.startsWith(RUN_SHELL);
}

export class Shells {
  readonly #program: ProgramModules;
  readonly #mainRunner: MainRunner;
  readonly #lendToDevice: LendToDevice | undefined;
  #startedCount = 0;
  readonly #openShells: Set<ModuleShell> = new Set();
  /** Keys of modules whose shells are being evaluated. */
  readonly #evaluating: Set<string> = new Set();

  /** @param lendToDevice undefined in a thread without a membrane */
  constructor(program: ProgramModules, mainRunner: MainRunner, lendToDevice: LendToDevice | undefined) {
    this.#program = program;
    this.#mainRunner = mainRunner;
    this.#lendToDevice = lendToDevice;
    Object.defineProperty(globalThis, SHELLS_KEY, { value: this, enumerable: false, configurable: true });
  }

  /** Text of the shell of a loaded ES module. */
  moduleShellSource(record: ModuleRecord): string {
    const names = exportNamesOf(record);
    const variables = names.map((_, i) => `$${i}`);
    const lines = [`const $shell = globalThis[Symbol.for('turntable.shells')].open(${JSON.stringify(record.key)});`];
    if (names.length > 0) {
      lines.push(`var ${variables.join(', ')};`);
      lines.push(`export { ${names.map((name, i) => `$${i} as ${JSON.stringify(name)}`).join(', ')} };`);
      lines.push(`$shell.connect([${variables.map((name) => `($) => { ${name} = $; }`).join(', ')}]);`);
    }
    if (!hasAsyncGraph(record)) return [...lines, '$shell.evaluateNow();'].join(' ');
    // Node may report this await as unsettled (unsettled-await.ts).
    return [...lines, 'await $shell.evaluate();'].join(' ') + MAP_COMMENT;
  }

  /** Text of the shell of a CommonJS file. The branch that never runs shows the named exports to Node's lexer. */
  commonJsShellSource(names: Iterable<string>): string {
    const exportMarkers = [...names].map((name) => `exports[${JSON.stringify(name)}] = 0;`).join(' ');
    return `${RUN_SHELL}if (0) { ${exportMarkers} }\n`;
  }

  /** Number of modules of the program that Node itself has started, each in a separate task. */
  get startedCount(): number {
    return this.#startedCount;
  }

  /** Returns the host view of a lent module. Called by the module's generated text. */
  lend(url: string, requestKind: RequestKind): object {
    if (this.#lendToDevice === undefined)
      throw new LoaderError(
        'TT_NOT_INSTALLED',
        'modules cannot be lent to the host in this thread; start the program with --import turntable/register',
      );
    return this.#lendToDevice(url, requestKind);
  }

  /** Receives the value of a generated native module. Called by its text, see native-source.ts. */
  deliver(value: unknown): void {
    receiveValue(value);
  }

  open(key: string): ModuleShell {
    const record = this.#program.graph.records.get(key);
    if (record === undefined)
      throw new LoaderError(
        'TT_NOT_INSTALLED',
        `module ${key} was loaded in a thread without its program; start the thread with --import turntable/register`,
      );
    this.#startedCount++;
    setToolRunning(false);
    const shell = new ModuleShell(record, this.#evaluating, this.#program, () => this.update());
    this.#openShells.add(shell);
    return shell;
  }

  /** The URL of a module's shell for a native importer: of a second shell while the first is being evaluated. */
  urlFor(url: string): string {
    return this.#evaluating.has(url) ? url + SECOND_SHELL_SUFFIX : url;
  }

  /** The module that a shell's URL belongs to. */
  static keyOf(url: string): string {
    return url.endsWith(SECOND_SHELL_SUFFIX) ? url.slice(0, -SECOND_SHELL_SUFFIX.length) : url;
  }

  /** Passes newly initialised exports to the native importers. */
  update(): void {
    for (const shell of this.#openShells) if (shell.update()) this.#openShells.delete(shell);
  }

  /** Runs a CommonJS file with the module object that Node has created for it. */
  run(module: NodeModule): void {
    this.#startedCount++;
    setToolRunning(false);
    if (this.#program.entryPoint.claimMain(module)) {
      // With `--import`, Node evaluates the entry point in a microtask. Without it, a CommonJS entry point runs outside
      // of microtasks, and ticks come before microtasks. A tick restores that order.
      nativeNextTick(() => this.#runMain(module));
      return;
    }
    this.#program.commonJs.run(module);
  }

  #runMain(module: NodeModule): void {
    module.loaded = false;
    this.#mainRunner.runMain(() => this.#program.commonJs.run(module));
    module.loaded = true;
  }
}

/** Export names of a linked or loaded module. */
export function exportNamesOf(record: ModuleRecord): string[] {
  return [...exportedNames(record)].filter(
    (name) => typeof resolveExport(record, name) === 'object' && resolveExport(record, name) !== null,
  );
}

class ModuleShell {
  readonly #record: ModuleRecord;
  readonly #program: ProgramModules;
  readonly #evaluating: Set<string>;
  readonly #onEvaluated: () => void;
  /** Setters of exports that have no value yet, by export name. */
  readonly #pendingSetters: Map<string, BindingSetter> = new Map();

  constructor(record: ModuleRecord, evaluating: Set<string>, program: ProgramModules, onEvaluated: () => void) {
    this.#record = record;
    this.#program = program;
    this.#evaluating = evaluating;
    this.#onEvaluated = onEvaluated;
  }

  connect(setters: readonly BindingSetter[]): void {
    exportNamesOf(this.#record).forEach((name, i) => this.#pendingSetters.set(name, setters[i] as BindingSetter));
    if (this.#record.status === 'unlinked') link(this.#record);
    this.update();
  }

  evaluateNow(): void {
    if (!this.#startEvaluation()) return;
    try {
      link(this.#record);
      evaluateNow(this.#record);
    } finally {
      this.#endEvaluation();
    }
  }

  async evaluate(): Promise<void> {
    if (!this.#startEvaluation()) return;
    try {
      link(this.#record);
      await evaluateForHost(this.#record);
    } finally {
      this.#endEvaluation();
    }
  }

  /** Returns false if the module is already being evaluated, in a cycle through a device. */
  #startEvaluation(): boolean {
    this.#program.entryPoint.noteEvaluation();
    if (this.#record.status === 'evaluating') return false;
    this.#evaluating.add(this.#record.key);
    return true;
  }

  #endEvaluation(): void {
    this.#evaluating.delete(this.#record.key);
    this.#onEvaluated();
  }

  /**
   * Passes newly initialised exports on and follows later assignments. Returns true when every export has its value.
   */
  update(): boolean {
    for (const [name, setter] of this.#pendingSetters) {
      const cell = resolveExport(this.#record, name) as Cell;
      if (!Object.hasOwn(cell, 'v') && cell.constructor === Cell) continue;
      this.#pendingSetters.delete(name);
      this.#program.table.followCell(cell, setter);
    }
    return this.#pendingSetters.size === 0;
  }
}
