// Calls of Node's loaders of files by the program: `Module._extensions['.js'](module, filename)`, which tools in the
// program (pirates) make, and `module.load(filename)`. The program reads the file as with `node:fs`, so that a recording
// contains the text, and `module._compile` runs it. Calls of Node and of the host are unaffected.
import type fs from 'node:fs';
import { dirname, extname } from 'node:path';
import { detectFormat, formatOf } from '../node/file-format.ts';
import { compile } from '../node/file-loaders.ts';
import { NodeModules } from '../node/resolution.ts';
import { replaceFunctions } from '../realm/replaced-functions.ts';
import { parseJson } from './load-errors.ts';
import type { ProgramModules } from './program-modules.ts';

type AnyFunction = (...args: never[]) => unknown;
type FileLoader = (module: NodeModule, filename: string) => void;

/** Node's script of `Module.prototype.load`, which calls the loaders. */
const MODULE_SCRIPT = 'node:internal/modules/cjs/loader';
const { _extensions: loaders } = NodeModules;

export interface FileLoaderCalls {
  /** Whether the program calls a running function, and not Node's own loading of modules. */
  isProgramCall(callee: AnyFunction): boolean;
  /** Loads a file into a module as `module.load(filename)` does. */
  load(module: NodeModule, filename: string): void;
}

export interface FileLoaderDeps {
  /** Whether a running function is called for the program. */
  isProgramRequest(callee: AnyFunction): boolean;
  /** The file of the code that calls a running function; undefined if it is not known. */
  callerFile(callee: AnyFunction): string | undefined;
}

export function patchFileLoaders(
  program: ProgramModules,
  { isProgramRequest, callerFile }: FileLoaderDeps,
): FileLoaderCalls {
  const isProgramCall = (callee: AnyFunction): boolean =>
    callerFile(callee) !== MODULE_SCRIPT && isProgramRequest(callee);
  const readText = (filename: string): string =>
    (program.builtins.get('fs') as unknown as typeof fs).readFileSync(filename, 'utf8').replace(/^\uFEFF/, '');
  const programLoaders: Readonly<Record<string, FileLoader>> = {
    '.js'(module, filename) {
      if (program.verdicts.isBeyondMembrane(filename)) {
        module.exports = program.commonJs.require(filename, module);
        return;
      }
      const format = formatOf(filename);
      const text = format?.format === 'module' || format?.isTypeScript === true ? undefined : readText(filename);
      // Turntable reads modules and TypeScript itself.
      if (text === undefined || (format === undefined && detectFormat(text) === 'module'))
        module.exports = program.commonJs.exportsOf(filename);
      else compile(module, text, filename, 'commonjs');
    },
    '.json'(module, filename) {
      module.exports = parseJson(readText(filename), filename);
    },
  };
  for (const [extension, loadForProgram] of Object.entries(programLoaders)) {
    const native = loaders[extension] as FileLoader;
    const { [extension]: loader } = {
      [extension](this: unknown, module: NodeModule, filename: string): void {
        if (isProgramCall(loader as AnyFunction)) loadForProgram(module, filename);
        else Reflect.apply(native, this, [module, filename]);
      },
    };
    replaceFunctions(loaders, { [extension]: loader as AnyFunction });
  }
  return {
    isProgramCall,
    load(module, filename) {
      module.filename ??= filename;
      module.paths ??= NodeModules._nodeModulePaths(dirname(filename));
      const extension = loaders[extname(filename)] === undefined ? '.js' : extname(filename);
      (loaders[extension] as FileLoader)(module, filename);
      module.loaded = true;
    },
  };
}
