// Locations in source code as users write them: LINE, FILE:LINE[:COLUMN], FUNCTION or Class.method.

export type LocationSpec =
  | {
      /** Path or URL of a file, or its end; undefined means the current file. */
      readonly file: string | undefined;
      readonly line: number;
      readonly column: number | undefined;
    }
  | { readonly function: string };

/** Parses a location; undefined if the text has another form. */
export function parseLocationSpec(text: string): LocationSpec | undefined {
  if (/^\d{1,9}$/.test(text)) return { file: undefined, line: Number(text), column: undefined };
  const [, file, line, column] = /^(.+?):(\d{1,9})(?::(\d{1,9}))?$/.exec(text) ?? [];
  if (line !== undefined)
    return { file, line: Number(line), column: column === undefined ? undefined : Number(column) };
  // C++ separates names by two colons.
  const name = text.replaceAll('::', '.');
  return /^[\w$#]+(?:\.[\w$#]+)*$/.test(name) ? { function: name } : undefined;
}
