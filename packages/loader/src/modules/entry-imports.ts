// The files that Node has loaded natively before a program installs the hooks itself: the entry file and all modules
// that it imports statically. A file has one instance, so these files stay native for the program. Files that were
// imported dynamically before are not found here. CommonJS files are found in Node's cache instead.
import { createRequire, isBuiltin } from 'node:module';
import { readSource } from '../code/code-loader.ts';
import { formatOf } from '../node/file-format.ts';
import { loadParser } from '../node/lazy-tools.ts';
import { importedFile } from '../node/resolution.ts';

/** The file that Node was started with, if any. */
export function entryFile(): string | undefined {
  if (process.mainModule !== undefined) return process.mainModule.filename;
  const argument = process.argv[1];
  if (argument === undefined) return undefined;
  try {
    // Node stores an absolute path, but not always with the extension.
    return createRequire(import.meta.url).resolve(argument);
  } catch {
    return undefined;
  }
}

/**
 * The entry file and all files that it imports, directly or through others.
 * @param resolve finds the file of a specifier
 */
export function filesImportedFrom(
  entry: string,
  resolve: (specifier: string, file: string) => string | undefined = importedFile,
): ReadonlySet<string> {
  const files = new Set([entry]);
  // A Set iterates over entries that are added meanwhile.
  for (const file of files) {
    if (formatOf(file)?.format === 'commonjs') continue;
    for (const specifier of runtimeSpecifiersIn(file)) {
      const target = isBuiltin(specifier) ? undefined : resolve(specifier, file);
      if (target !== undefined && formatOf(target)?.format !== 'json') files.add(target);
    }
  }
  return files;
}

/** Specifiers of the imports and re-exports that remain after types are removed. */
function runtimeSpecifiersIn(file: string): string[] {
  const source = readSource(file);
  const { module } = loadParser().parseSync(file, source);
  const hasRuntimeEntries = (
    { start }: { readonly start: number },
    entries: readonly { readonly isType: boolean }[],
  ): boolean =>
    // When every name is marked `type`, an empty import remains, which loads the module.
    entries.length === 0 ||
    entries.some(({ isType }) => !isType) ||
    !/^(?:import|export)\s+type\b/.test(source.slice(start));
  const imported = module.staticImports.filter((statement) => hasRuntimeEntries(statement, statement.entries));
  const exported = module.staticExports.filter((statement) => hasRuntimeEntries(statement, statement.entries));
  return [
    ...imported.map(({ moduleRequest }) => moduleRequest.value),
    ...exported.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
  ];
}
