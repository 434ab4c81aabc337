// The hooks Node calls: `resolve` answers the loader's own questions (resolution.ts) and otherwise stays out of the way, `load` puts a
// shell in the place of every file that belongs to the program.
import { registerHooks, type ResolveHookContext } from 'node:module';
import { fileURLToPath } from 'node:url';
import { loadRequested } from '@turntable/core';
import type { CodeLoader } from '../code/code.ts';
import { formatOf, isTypeScript } from '../node/format.ts';
import { nativeText, nativeTextUrl } from './native-text.ts';
import { installedPackage } from '../node/package-scope.ts';
import type { ProgramModules } from './program-modules.ts';
import type { Reach } from '../classification/reach.ts';
import { isLoadedByTool } from '../node/file-loaders.ts';
import { isAwaited, type Lending } from './lending.ts';
import { answerQuestion, resolving, type NextResolve } from '../node/resolution.ts';
import { onNativeFile } from './native-modules.ts';
import { orRecorded } from './without-files.ts';
import { Shells } from './shells.ts';
import { isLoadingTools } from '../node/tools.ts';

export interface HookParts {
  readonly program: ProgramModules;
  readonly shells: Shells;
  readonly code: CodeLoader;
  readonly reach: Reach;
  /** In a thread that is recorded. */
  readonly lending: Lending | undefined;
}

export function installHooks({ program, shells, code, reach, lending }: HookParts): void {
  const { graph, esm, commonJs, entry, verdicts } = program;
  onNativeFile((filename) => verdicts.addNative(filename));
  registerHooks({
    resolve(specifier, context, next) {
      const answer = answerQuestion(specifier, next as NextResolve);
      if (answer !== undefined) return answer;
      if (isLoadingTools()) return next(specifier, context);
      const native = nativeTextUrl(specifier);
      if (native !== undefined) return { url: native, format: 'module', shortCircuit: true };
      const resolved = orRecorded(() => resolving(() => next(specifier, context)), code.recorded);
      // The entry point, and nothing else of the program, has no importer.
      if (context.parentURL === undefined && entry.url === undefined && resolved.url.startsWith('file:'))
        entry.begin(resolved.url);
      const lent = lentUrl(resolved.url, context);
      if (lent !== undefined) return { url: lent, shortCircuit: true };
      const shellUrl = shells.urlFor(resolved.url);
      return shellUrl === resolved.url ? resolved : { ...resolved, url: shellUrl };
    },
    load(shellUrl, context, next) {
      if (isLoadingTools()) return next(shellUrl, context);
      const url = Shells.keyOf(shellUrl);
      if (!url.startsWith('file:')) return next(url, context);
      const text = nativeText(url);
      if (text !== undefined) return { format: 'module', source: text, shortCircuit: true };
      const lent = lending?.textAt(url);
      if (lent !== undefined)
        return { format: url.endsWith('.cjs') ? 'commonjs' : 'module', source: lent, shortCircuit: true };
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
      if (!belongs(url, filename)) {
        verdicts.addNative(filename);
        return next(url, context);
      }
      const kind = format?.format ?? program.code.kindOf(filename);
      if (kind === 'commonjs') {
        // A tool's loader is to see the text; what it makes of it comes back through `_compile`.
        if (context.conditions.includes('require') && isLoadedByTool(filename)) return next(url, context);
        const names = code.commonJsNames(filename, code.read(filename), isTypeScript(filename));
        return { format: 'commonjs', source: shells.textOfCommonJs(names), shortCircuit: true };
      }
      const record = esm.recordOf(url);
      loadRequested(record);
      return { format: 'module', source: shells.textOfModule(record), shortCircuit: true };
    },
  });

  function belongs(url: string, filename: string): boolean {
    const known = graph.records.has(url) || url === entry.url || installedPackage(filename) === undefined;
    // Of an installed package, only what the program itself reaches is the program's; asked first, for it is cheaper than a verdict.
    return (known || reach.has(filename)) && !verdicts.isNative(filename);
  }

  /** Under which URL a device has a module of the program's, if it is one that asks for one. */
  function lentUrl(url: string, context: ResolveHookContext): string | undefined {
    const { parentURL } = context;
    if (lending === undefined || !url.startsWith('file:') || parentURL?.startsWith('file:') !== true) return undefined;
    if (!verdicts.isOfDevice(fileURLToPath(parentURL))) return undefined;
    const filename = fileURLToPath(url);
    const format = formatOf(filename)?.format;
    if (format !== undefined && format !== 'module' && format !== 'commonjs') return undefined;
    if (!commonJs.hasLoaded(filename) && !belongs(url, filename)) return undefined;
    const how = context.conditions.includes('require') ? 'require' : 'import';
    return how === 'import' && isAwaited(program, url) ? undefined : lending.urlFor(url, how);
  }
}
