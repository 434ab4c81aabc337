// Node's `module`, taught in place to load through the program for whoever belongs to it: programs compare `module.constructor` with
// it, tools replace its parts. `createRequire` gives the program's files a `require` of the program, `_compile` transforms what tools
// have made of their text.
import Module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loaderOf } from '../node/file-loaders.ts';
import { standsOutside } from './native-modules.ts';
import { requireIs } from './require-function.ts';
import { moduleAt, NodeModules } from '../node/resolution.ts';
import { whileForeign } from '../realm/foreign-code.ts';
import { standInAll } from '../realm/stand-in.ts';
import { isLoadingTools } from '../node/tools.ts';
import type { ProgramModules } from './program-modules.ts';
import { isShell } from './shells.ts';

interface ModuleBuiltin {
  createRequire(filename: string | URL): NodeJS.Require;
  syncBuiltinESMExports(): void;
}

type Compile = (this: NodeModule, content: string, filename: string, format?: string) => unknown;

/** `module.require` of the program's files: some builtins are something else to them. */
function teachRequire(program: ProgramModules): void {
  const native = NodeModules.prototype.require;
  standInAll(NodeModules.prototype, {
    require(this: NodeModule, id: string): unknown {
      const isOurs =
        typeof id === 'string' && standsOutside(id) && !isLoadingTools() && !program.verdicts.isNative(this.filename);
      return isOurs ? program.builtins.get(id) : Reflect.apply(native, this, [id]);
    },
  });
  requireIs(NodeModules.prototype.require);
}

/** Hooks have told Node what it is, whatever its name: then the loader of `.js` is called. */
function hasFormat(module: NodeModule): boolean {
  const key = Object.getOwnPropertySymbols(module).find(({ description }) => description === 'kFormat');
  return key !== undefined && Reflect.get(module, key) !== undefined;
}

/** What a tool loads runs without it where it runs again, and on the tool's own behalf where it is recorded. */
function teachLoad(program: ProgramModules, runShell: (module: NodeModule) => void): void {
  const { load: native } = NodeModules.prototype as unknown as { load(this: NodeModule, filename: string): void };
  standInAll(NodeModules.prototype, {
    load(this: NodeModule, filename: string): void {
      const isFormatKnown = hasFormat(this);
      const isTool = loaderOf(isFormatKnown ? '.js' : filename) === 'tool';
      if (!isTool || isLoadingTools() || program.verdicts.isNative(filename))
        return Reflect.apply(native, this, [filename]);
      this.filename ??= filename;
      this.paths ??= NodeModules._nodeModulePaths(dirname(filename));
      // The tool would get the shell of the entry point, which is none of its files.
      if (!isFormatKnown && program.entry.isMain(this)) runShell(this);
      else if (!program.commonJs.madeByTools.runsGiven(this, filename))
        return whileForeign(() => Reflect.apply(native, this, [filename]));
      this.loaded = true;
    },
  });
}

/** What Node compiles around `-e`, `-p` and standard input, whose text itself no hook sees. */
const COMMAND_LINE = /^\[(?:eval\d*|stdin)\]-wrapper$/;

/** @param runShell as the shell of a CommonJS file does when Node runs it */
export function teachModule(program: ProgramModules, runShell: (module: NodeModule) => void): void {
  const builtin = Module as unknown as ModuleBuiltin;
  const { createRequire: nativeCreateRequire, syncBuiltinESMExports: nativeSync } = builtin;
  const prototype = NodeModules.prototype as unknown as { _compile: Compile };
  const { _compile: nativeCompile } = prototype;

  const taught = {
    createRequire(filename: string | URL): NodeJS.Require {
      const require = nativeCreateRequire(filename);
      if (isLoadingTools()) return require;
      const text = String(filename);
      const path = text.startsWith('file:') ? fileURLToPath(text) : text;
      const file = /[/\\]$/.test(path) ? join(path, 'noop.js') : path;
      if (program.verdicts.isNative(file)) return require;
      return program.commonJs.requireFunction(moduleAt(file));
    },
    syncBuiltinESMExports(): void {
      nativeSync();
      program.builtins.sync(program.graph);
    },
  };
  Object.assign(builtin, taught);
  if (program.verdicts.hasMembrane) {
    teachRequire(program);
    teachLoad(program, runShell);
  }

  prototype._compile = function _compile(content, filename, format) {
    const isOurs =
      (format === undefined || format === 'commonjs') &&
      !isShell(content) &&
      !isLoadingTools() &&
      !COMMAND_LINE.test(filename) &&
      !program.verdicts.isNative(filename);
    return isOurs
      ? program.commonJs.compileInto(this, content, filename)
      : Reflect.apply(nativeCompile, this, [content, filename, format]);
  };
}
