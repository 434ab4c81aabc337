// Patches Node's `module`, so that the program's hosts load files of the program. The object is patched in place,
// because programs compare `module.constructor` with it and tools patch it. `createRequire` returns the program's
// `require` for the program's files, and `_compile` transforms the output of tools.
import Module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loaderOf } from '../node/file-loaders.ts';
import { patchFileLoaders, type FileLoaderCalls, type FileLoaderDeps } from './file-loader-calls.ts';
import { isHandleBuiltin } from './native-modules.ts';
import { noteNativeRequire } from './require-function.ts';
import { moduleAt, NodeModules } from '../node/resolution.ts';
import { runAsTool, type IsHostCaller } from '../realm/tool-code.ts';
import { replaceFunctions } from '../realm/replaced-functions.ts';
import { isLoadingTools } from '../node/lazy-tools.ts';
import type { ProgramModules } from './program-modules.ts';
import { isShell } from './shells.ts';

interface ModuleBuiltin {
  createRequire(filename: string | URL): NodeJS.Require;
  syncBuiltinESMExports(): void;
}

type ModuleCompile = (this: NodeModule, content: string, filename: string, format?: string) => unknown;

/**
 * Patches `module.require` and `Module._load`: calls by the program return handles for builtins and devices beyond the
 * membrane. Whose module object is used does not matter, because the program can get those of devices.
 */
function patchRequire(program: ProgramModules, isHostCaller: IsHostCaller): void {
  const { _load: nativeLoad } = NodeModules;
  const nativeRequire = NodeModules.prototype.require;
  const isProgramRequest = (id: unknown, callee: (...args: never[]) => unknown): id is string =>
    typeof id === 'string' && !isLoadingTools() && !isHostCaller(callee);
  const { require } = {
    require(this: NodeModule, id: string): unknown {
      if (!isProgramRequest(id, require)) return Reflect.apply(nativeRequire, this, [id]);
      const isOfDevice = program.verdicts.isBeyondMembrane(this.filename);
      if (isOfDevice || isHandleBuiltin(id)) return program.commonJs.require(id, this);
      return Reflect.apply(nativeRequire, this, [id]);
    },
  };
  const { _load } = {
    _load(request: string, parent?: NodeModule | null, isMain = false): unknown {
      if (!isProgramRequest(request, _load)) return nativeLoad(request, parent, isMain);
      if (isHandleBuiltin(request)) return program.builtins.get(request);
      const filename = tryResolve(request, parent, isMain);
      return filename !== undefined && program.verdicts.isBeyondMembrane(filename)
        ? program.commonJs.require(filename, parent ?? moduleAt(filename))
        : nativeLoad(request, parent, isMain);
    },
  };
  replaceFunctions(NodeModules, { _load });
  replaceFunctions(NodeModules.prototype, { require });
  noteNativeRequire();
}

/** Resolves a request like `Module._load`, which throws if that fails. */
function tryResolve(request: string, parent: NodeModule | null | undefined, isMain: boolean): string | undefined {
  try {
    return NodeModules._resolveFilename(request, parent, isMain);
  } catch {
    return undefined;
  }
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
function patchLoad(
  program: ProgramModules,
  runShell: (module: NodeModule) => void,
  { isProgramCall, load: loadForProgram }: FileLoaderCalls,
): void {
  const { load: nativeLoad } = NodeModules.prototype as unknown as { load(this: NodeModule, filename: string): void };
  const { load } = {
    load(this: NodeModule, filename: string): void {
      if (isProgramCall(load)) return loadForProgram(this, filename);
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
  };
  replaceFunctions(NodeModules.prototype, { load });
}

/** File names of the code that Node wraps around `-e`, `-p` and standard input. No hook sees the text itself. */
const COMMAND_LINE_WRAPPER = /^\[(?:eval\d*|stdin)\]-wrapper$/;

export interface ModuleBuiltinDeps {
  /** Runs the shell of a CommonJS file when Node runs the file. */
  runShell(module: NodeModule): void;
  /** Whether the caller of a function is not the program. Undefined in a thread without a tape. */
  readonly isHostCaller: IsHostCaller | undefined;
  readonly callerFile: FileLoaderDeps['callerFile'];
}

export function patchModuleBuiltin(
  program: ProgramModules,
  { runShell, isHostCaller, callerFile }: ModuleBuiltinDeps,
): void {
  const builtin = Module as unknown as ModuleBuiltin;
  const { createRequire: nativeCreateRequire, syncBuiltinESMExports: nativeSync } = builtin;
  const prototype = NodeModules.prototype as unknown as { _compile: ModuleCompile };
  const { _compile: nativeCompile } = prototype;
  /** Whether a file of a device is requested by the host, which gets the native module. */
  const isNativeRequest = (filename: string, callee: (...args: never[]) => unknown): boolean =>
    program.verdicts.isNative(filename) && isHostCaller?.(callee) !== false;

  const patches = {
    createRequire(filename: string | URL): NodeJS.Require {
      const require = nativeCreateRequire(filename);
      if (isLoadingTools()) return require;
      const location = String(filename);
      const pathname = location.startsWith('file:') ? fileURLToPath(location) : location;
      const file = /[/\\]$/.test(pathname) ? join(pathname, 'noop.js') : pathname;
      if (isNativeRequest(file, patches.createRequire)) return require;
      return program.commonJs.requireFunction(moduleAt(file));
    },
    syncBuiltinESMExports(): void {
      nativeSync();
      program.builtins.sync(program.graph);
    },
  };
  Object.assign(builtin, patches);
  if (isHostCaller !== undefined) {
    patchRequire(program, isHostCaller);
    const loaderCalls = patchFileLoaders(program, {
      callerFile,
      isProgramRequest: (callee) => !isLoadingTools() && !isHostCaller(callee),
    });
    patchLoad(program, runShell, loaderCalls);
  }

  const compile: ModuleCompile = function _compile(content, filename, format) {
    const isProgramRequest =
      (format === undefined || format === 'commonjs') &&
      !isShell(content) &&
      !isLoadingTools() &&
      !COMMAND_LINE_WRAPPER.test(filename) &&
      !isNativeRequest(filename, compile);
    return isProgramRequest
      ? program.commonJs.compileInto(this, content, filename)
      : Reflect.apply(nativeCompile, this, [content, filename, format]);
  };
  prototype._compile = compile;
}
