// The transform and the parser in this process.
import type { TypeScriptOptions } from '@turntable/transform';
import { detectFormat, isTypeScript } from '../node/file-format.ts';
import { loadParser, loadTransform } from '../node/lazy-tools.ts';
import { installedPackage } from '../node/package-scope.ts';
import { mapToOriginal, readSourceMap, type BuildMap, type MappedLocation } from '../source-maps/source-maps.ts';
import { cacheEntryOf } from './code-entry.ts';
import type { RuntimeTransform } from './runtime-code.ts';
import type { BuildRequest, CodeKind, CodeRestoreOptions, FileExports, TransformService } from './transform-service.ts';
import type { Transformed } from './transformer-port.ts';

export interface TransformerOptions {
  readonly path: string;
  readonly kind: CodeKind;
  /** Whether refused syntax stays unchanged at a location. By default it does in installed packages only. */
  readonly isLenientAt?: (location: Omit<MappedLocation, 'file'>) => boolean;
  /** Result of `Transformer.settings`; unused for JavaScript. */
  readonly settings: string;
  readonly restore?: CodeRestoreOptions | undefined;
  readonly debug?: boolean | 'barriers' | undefined;
}

/** Transforms a file in this process. */
export function transformFile(
  source: string,
  { path, kind, isLenientAt, settings, restore, debug }: TransformerOptions,
): Transformed {
  return loadTransform().transform(source, {
    path,
    kind,
    // `eval` and `with` are refused in files of the user, who can change them; in installed packages they stay unchanged.
    lenient: isLenientAt ?? (installedPackage(path) !== undefined || createBundleCheck(path, source)),
    ...(isTypeScript(path) ? { typescript: JSON.parse(settings) as TypeScriptOptions } : {}),
    ...(restore === undefined ? {} : { restore }),
    ...(debug === undefined ? {} : { debug }),
  });
}

/** Creates a check whether a location in a bundle comes from an installed package, by the bundle's source map. */
function createBundleCheck(path: string, source: string): (location: Omit<MappedLocation, 'file'>) => boolean {
  let sourceMap: { readonly map: BuildMap | undefined } | undefined;
  return (location) => {
    sourceMap ??= { map: readSourceMap(path, source) };
    const original = mapToOriginal(sourceMap.map, location);
    return original !== undefined && installedPackage(original.file) !== undefined;
  };
}

export const localTransformService: TransformService = {
  writesCache: false,
  build({ path, source, kind: requestedKind, settings, restore, isLenient, debug }: BuildRequest) {
    const kind = requestedKind ?? detectFormat(isTypeScript(path) ? lower(source, path, settings) : source);
    // Code that was accepted when it ran is accepted when it is restored, whether or not its source map is available.
    const leniency = restore === undefined && isLenient !== true ? {} : { isLenientAt: () => true };
    const transformed = transformFile(source, { path, kind, settings, restore, debug, ...leniency });
    const restorable = restore && { functions: restore.functions, classes: restore.classes };
    return cacheEntryOf(transformed, kind, source, restorable);
  },
  buildRuntimeCode: ({ source, options, debug }) =>
    loadTransform().transform(source, debug ? { ...options, debug } : options) as ReturnType<RuntimeTransform>,
  lower,
  toConsoleInput: (text, reader) => loadTransform().toConsoleInput(text, reader),
  freeNames: (text) => loadTransform().freeNames(text),
  toPlainExpression: (text, reader) => loadTransform().toPlainExpression(text, reader),
  exportsOf: parseExports,
  functionsOf: (path, source) => loadTransform().listFunctions(source, path),
  cacheVerdict() {},
};

function lower(source: string, path: string, settings: string): string {
  return loadTransform().lowerTypeScript(source, path, JSON.parse(settings) as TypeScriptOptions).code;
}

function parseExports(path: string, source: string): FileExports {
  const names: string[] = [];
  const starSpecifiers: string[] = [];
  const { module } = loadParser().parseSync(path, source);
  for (const { entries } of module.staticExports)
    for (const { exportName, moduleRequest, importName, isType } of entries) {
      if (isType) continue;
      if (exportName.kind === 'Default') names.push('default');
      else if (exportName.name !== null) names.push(exportName.name);
      if (importName.kind === 'AllButDefault' && moduleRequest !== null) starSpecifiers.push(moduleRequest.value);
    }
  return { names, all: starSpecifiers };
}
