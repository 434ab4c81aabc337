// The hooks that Node calls. `resolve` answers the loader's own queries (resolution.ts), detects the entry point, and
// redirects requests to shells and lent modules. `load` replaces every file of the program by its shell.
import { registerHooks, type ResolveHookContext } from 'node:module';
import { fileURLToPath } from 'node:url';
import { loadRequested } from '@turntable/core';
import type { CodeLoader } from '../code/code-loader.ts';
import { formatOf, isTypeScript } from '../node/file-format.ts';
import { nativeSource, nativeSourceUrl } from './native-source.ts';
import { installedPackage } from '../node/package-scope.ts';
import type { ProgramModules } from './program-modules.ts';
import type { ReachableFiles } from '../classification/reachable-files.ts';
import { isLoadedByTool } from '../node/file-loaders.ts';
import { hasAsyncEvaluation, type LentModules } from './lent-modules.ts';
import { answerResolveQuery, runResolver, type NextResolve } from '../node/resolution.ts';
import { setOnNativeFile } from './native-modules.ts';
import { resolveOrRecorded } from './recorded-resolution.ts';
import { Shells } from './shells.ts';
import { isLoadingTools } from '../node/lazy-tools.ts';

export interface HookDeps {
  readonly program: ProgramModules;
  readonly shells: Shells;
  readonly codeLoader: CodeLoader;
  readonly reachableFiles: ReachableFiles;
  /** Lends modules of the program to devices. Given only in a recorded thread. */
  readonly lentModules: LentModules | undefined;
}

export function installHooks({ program, shells, codeLoader, reachableFiles, lentModules }: HookDeps): void {
  const { graph, esm, commonJs, entryPoint, verdicts } = program;
  setOnNativeFile((filename) => verdicts.addNative(filename));
  registerHooks({
    resolve(specifier, context, next) {
      const answer = answerResolveQuery(specifier, next as NextResolve);
      if (answer !== undefined) return answer;
      if (isLoadingTools()) return next(specifier, context);
      const nativeUrl = nativeSourceUrl(specifier);
      if (nativeUrl !== undefined) return { url: nativeUrl, format: 'module', shortCircuit: true };
      const resolved = resolveOrRecorded(() => runResolver(() => next(specifier, context)), codeLoader.recordedSources);
      // Only the entry point of a program has no importer.
      if (context.parentURL === undefined && entryPoint.url === undefined && resolved.url.startsWith('file:'))
        entryPoint.start(resolved.url);
      const lentModuleUrl = lentUrlFor(resolved.url, context);
      if (lentModuleUrl !== undefined) return { url: lentModuleUrl, shortCircuit: true };
      const shellUrl = shells.urlFor(resolved.url);
      return shellUrl === resolved.url ? resolved : { ...resolved, url: shellUrl };
    },
    load(shellUrl, context, next) {
      if (isLoadingTools()) return next(shellUrl, context);
      const url = Shells.keyOf(shellUrl);
      if (!url.startsWith('file:')) return next(url, context);
      const nativeModuleSource = nativeSource(url);
      if (nativeModuleSource !== undefined) return { format: 'module', source: nativeModuleSource, shortCircuit: true };
      const lentSource = lentModules?.sourceAt(url);
      if (lentSource !== undefined)
        return { format: url.endsWith('.cjs') ? 'commonjs' : 'module', source: lentSource, shortCircuit: true };
      const filename = fileURLToPath(url);
      const format = formatOf(filename);
      if (
        format?.format === 'json' ||
        format?.format === 'addon' ||
        format?.format === 'wasm' ||
        format?.format === 'other'
      ) {
        return next(url, context);
      }
      if (!isProgramFile(url, filename)) {
        verdicts.addNative(filename);
        return next(url, context);
      }
      const kind = format?.format ?? program.code.kindOf(filename);
      if (kind === 'commonjs') {
        // A tool's loader must see the source; its output arrives through `_compile`.
        if (context.conditions.includes('require') && isLoadedByTool(filename)) return next(url, context);
        const names = codeLoader.commonJsNames(filename, codeLoader.read(filename), isTypeScript(filename));
        return { format: 'commonjs', source: shells.commonJsShellSource(names), shortCircuit: true };
      }
      const record = esm.recordOf(url);
      loadRequested(record);
      return { format: 'module', source: shells.moduleShellSource(record), shortCircuit: true };
    },
  });

  function isProgramFile(url: string, filename: string): boolean {
    const known = graph.records.has(url) || url === entryPoint.url || installedPackage(filename) === undefined;
    // A file of an installed package is part of the program only if the program reaches it. This is checked first,
    // because it takes less time than a verdict.
    return (known || reachableFiles.has(filename)) && !verdicts.isNative(filename);
  }

  /** The URL of the lent module if a device requests a module of the program, else undefined. */
  function lentUrlFor(url: string, context: ResolveHookContext): string | undefined {
    const { parentURL } = context;
    if (lentModules === undefined || !url.startsWith('file:') || parentURL?.startsWith('file:') !== true)
      return undefined;
    if (!verdicts.isDeviceFile(fileURLToPath(parentURL))) return undefined;
    const filename = fileURLToPath(url);
    const format = formatOf(filename)?.format;
    if (format !== undefined && format !== 'module' && format !== 'commonjs') return undefined;
    if (!commonJs.hasLoaded(filename) && !isProgramFile(url, filename)) return undefined;
    const requestKind = context.conditions.includes('require') ? 'require' : 'import';
    return requestKind === 'import' && hasAsyncEvaluation(program, url)
      ? undefined
      : lentModules.urlFor(url, requestKind);
  }
}
