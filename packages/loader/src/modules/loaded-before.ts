// What Node has loaded natively before the hooks are in place, when the program puts them there itself: its entry file, and what that imports before
// its own first line. There is one instance of a file, so these stay native for the program, too. What has been imported by then in
// other ways is not known here; of CommonJS files Node's own cache knows.
import { createRequire, isBuiltin } from 'node:module';
import { readSource } from '../code/code.ts';
import { formatOf } from '../node/format.ts';
import { parserTools } from '../node/tools.ts';
import { importedFile } from '../node/resolution.ts';

/** The file that Node was started with, if it was one. */
export function entryFile(): string | undefined {
  if (process.mainModule !== undefined) return process.mainModule.filename;
  const named = process.argv[1];
  if (named === undefined) return undefined;
  try {
    // Node names it in full, but not always with its extension.
    return createRequire(import.meta.url).resolve(named);
  } catch {
    return undefined;
  }
}

/** The file and all that its imports lead to; asked when the hooks are in place. */
export function filesLoadedWith(entry: string): ReadonlySet<string> {
  const files = new Set([entry]);
  // A Set visits what is added while it is being walked.
  for (const file of files) {
    if (formatOf(file)?.format === 'commonjs') continue;
    for (const specifier of specifiersIn(file)) {
      const target = isBuiltin(specifier) ? undefined : importedFile(specifier, file);
      if (target !== undefined && formatOf(target)?.format !== 'json') files.add(target);
    }
  }
  return files;
}

/** Of what is imported for more than its types. */
function specifiersIn(file: string): string[] {
  const source = readSource(file);
  const { module } = parserTools().parseSync(file, source);
  const isWritten = (
    { start }: { readonly start: number },
    entries: readonly { readonly isType: boolean }[],
  ): boolean =>
    // Names that are marked one by one leave an import of nothing.
    entries.length === 0 ||
    entries.some(({ isType }) => !isType) ||
    !/^(?:import|export)\s+type\b/.test(source.slice(start));
  const imported = module.staticImports.filter((each) => isWritten(each, each.entries));
  const exported = module.staticExports.filter((each) => isWritten(each, each.entries));
  return [
    ...imported.map(({ moduleRequest }) => moduleRequest.value),
    ...exported.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
  ];
}
