// Patches Node's `module`, so that the program's hosts load files of the program. The object is patched in place,
// because programs compare `module.constructor` with it and tools patch it. `createRequire` returns the program's
// `require` for the program's files, and `_compile` transforms the output of tools.
import Module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loaderOf } from '../node/file-loaders.ts';
import { isHandleBuiltin } from './native-modules.ts';
import { setNativeRequire } from './require-function.ts';
import { moduleAt, NodeModules } from '../node/resolution.ts';
import { runAsTool } from '../realm/tool-code.ts';
import { replaceFunctions } from '../realm/replaced-functions.ts';
import { isLoadingTools } from '../node/lazy-tools.ts';
import type { ProgramModules } from './program-modules.ts';
import { isShell } from './shells.ts';

interface ModuleBuiltin {
  createRequire(filename: string | URL): NodeJS.Require;
  syncBuiltinESMExports(): void;
}

type ModuleCompile = (this: NodeModule, content: string, filename: string, format?: string) => unknown;

/** Patches `module.require`, through which the program's files must get handles for builtins beyond the membrane. */
function patchRequire(program: ProgramModules): void {
  const nativeRequire = NodeModules.prototype.require;
  replaceFunctions(NodeModules.prototype, {
    require(this: NodeModule, id: string): unknown {
      const isProgramRequest =
        typeof id === 'string' && isHandleBuiltin(id) && !isLoadingTools() && !program.verdicts.isNative(this.filename);
      return isProgramRequest ? program.builtins.get(id) : Reflect.apply(nativeRequire, this, [id]);
    },
  });
  setNativeRequire(NodeModules.prototype.require);
}

/** Whether hooks have set the format of a module. Node then uses the loader of `.js` whatever the extension. */
function hasKnownFormat(module: NodeModule): boolean {
  const key = Object.getOwnPropertySymbols(module).find(({ description }) => description === 'kFormat');
  return key !== undefined && Reflect.get(module, key) !== undefined;
}

/**
 * Patches `Module.prototype.load`. A file that needs a tool is run from its recorded output during a replay. Otherwise
 * the tool loads it, outside the recording.
 */
function patchLoad(program: ProgramModules, runShell: (module: NodeModule) => void): void {
  const { load: nativeLoad } = NodeModules.prototype as unknown as { load(this: NodeModule, filename: string): void };
  replaceFunctions(NodeModules.prototype, {
    load(this: NodeModule, filename: string): void {
      const isFormatKnown = hasKnownFormat(this);
      const isToolFile = loaderOf(isFormatKnown ? '.js' : filename) === 'tool';
      if (!isToolFile || isLoadingTools() || program.verdicts.isNative(filename))
        return Reflect.apply(nativeLoad, this, [filename]);
      this.filename ??= filename;
      this.paths ??= NodeModules._nodeModulePaths(dirname(filename));
      // For the entry point, the tool would be given the shell instead of the file's text.
      if (!isFormatKnown && program.entryPoint.isMain(this)) runShell(this);
      else if (!program.commonJs.toolOutputs.runRecordedOutput(this, filename))
        return runAsTool(() => Reflect.apply(nativeLoad, this, [filename]));
      this.loaded = true;
    },
  });
}

/** File names of the code that Node wraps around `-e`, `-p` and standard input. No hook sees the text itself. */
const COMMAND_LINE_WRAPPER = /^\[(?:eval\d*|stdin)\]-wrapper$/;

/** @param runShell runs the shell of a CommonJS file when Node runs the file */
export function patchModuleBuiltin(program: ProgramModules, runShell: (module: NodeModule) => void): void {
  const builtin = Module as unknown as ModuleBuiltin;
  const { createRequire: nativeCreateRequire, syncBuiltinESMExports: nativeSync } = builtin;
  const prototype = NodeModules.prototype as unknown as { _compile: ModuleCompile };
  const { _compile: nativeCompile } = prototype;

  const patches = {
    createRequire(filename: string | URL): NodeJS.Require {
      const require = nativeCreateRequire(filename);
      if (isLoadingTools()) return require;
      const location = String(filename);
      const pathname = location.startsWith('file:') ? fileURLToPath(location) : location;
      const file = /[/\\]$/.test(pathname) ? join(pathname, 'noop.js') : pathname;
      if (program.verdicts.isNative(file)) return require;
      return program.commonJs.requireFunction(moduleAt(file));
    },
    syncBuiltinESMExports(): void {
      nativeSync();
      program.builtins.sync(program.graph);
    },
  };
  Object.assign(builtin, patches);
  if (program.verdicts.hasMembrane) {
    patchRequire(program);
    patchLoad(program, runShell);
  }

  prototype._compile = function _compile(content, filename, format) {
    const isProgramRequest =
      (format === undefined || format === 'commonjs') &&
      !isShell(content) &&
      !isLoadingTools() &&
      !COMMAND_LINE_WRAPPER.test(filename) &&
      !program.verdicts.isNative(filename);
    return isProgramRequest
      ? program.commonJs.compileInto(this, content, filename)
      : Reflect.apply(nativeCompile, this, [content, filename, format]);
  };
}
