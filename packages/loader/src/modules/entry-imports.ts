// What Node has loaded natively before the hooks are in place, when the program puts them there itself: its entry file, and what that imports before
// its own first line. There is one instance of a file, so these stay native for the program, too. What has been imported by then in
// other ways is not known here; of CommonJS files Node's own cache knows.
import { createRequire, isBuiltin } from 'node:module';
import { readSource } from '../code/code-loader.ts';
import { formatOf } from '../node/file-format.ts';
import { loadParser } from '../node/lazy-tools.ts';
import { importedFile } from '../node/resolution.ts';

/** The file that Node was started with, if it was one. */
export function entryFile(): string | undefined {
  if (process.mainModule !== undefined) return process.mainModule.filename;
  const argument = process.argv[1];
  if (argument === undefined) return undefined;
  try {
    // Node names it in full, but not always with its extension.
    return createRequire(import.meta.url).resolve(argument);
  } catch {
    return undefined;
  }
}

/** The file and all that its imports lead to; asked when the hooks are in place. */
export function filesImportedFrom(entry: string): ReadonlySet<string> {
  const files = new Set([entry]);
  // A Set visits what is added while it is being walked.
  for (const file of files) {
    if (formatOf(file)?.format === 'commonjs') continue;
    for (const specifier of runtimeSpecifiersIn(file)) {
      const target = isBuiltin(specifier) ? undefined : importedFile(specifier, file);
      if (target !== undefined && formatOf(target)?.format !== 'json') files.add(target);
    }
  }
  return files;
}

/** Of what is imported for more than its types. */
function runtimeSpecifiersIn(file: string): string[] {
  const source = readSource(file);
  const { module } = loadParser().parseSync(file, source);
  const hasRuntimeEntries = (
    { start }: { readonly start: number },
    entries: readonly { readonly isType: boolean }[],
  ): boolean =>
    // Names that are marked one by one leave an import of nothing.
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
