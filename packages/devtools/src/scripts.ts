// Source files of the recording as CDP scripts, with their recorded text, so that locations match the server's.
// An additional placeholder script is shown at the end, and in code whose source the recording does not have.
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { loadStatements, type Client } from '@turntable/time-machine/client';
import { sourceMapUrlOf } from './identity-source-map.ts';

export interface Script {
  readonly id: string;
  /** The server's name of the file; undefined for the placeholder script. */
  readonly file: string | undefined;
  readonly url: string;
  readonly source: string;
  readonly lines: readonly string[];
  readonly hash: string;
}

export interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber?: number | undefined;
}

export interface BreakLocation extends Location {
  readonly columnNumber: number;
}

/** The id of the only execution context: a recording has one for all its threads. */
export const EXECUTION_CONTEXT_ID = 1;
/** Maximum number of sources requested at once. */
const BATCH_SIZE = 32;
const PLACEHOLDER_LINES = [
  '// The end of the recording: no code runs here.',
  '// No code with a recorded source runs here.',
];

export class Scripts {
  /** The script for locations without source; each line is a message. */
  readonly #placeholder = createScript(1, undefined, 'turntable:recording', PLACEHOLDER_LINES.join('\n'));
  readonly #scripts = [this.#placeholder];
  readonly #byId = new Map([[this.#placeholder.id, this.#placeholder]]);
  readonly #byUrl = new Map<string, Script>();
  readonly #breakLocations = new Map<Script, Promise<readonly BreakLocation[]>>();

  static async read(client: Client): Promise<Scripts> {
    const scripts = new Scripts();
    await scripts.readMore(client);
    return scripts;
  }

  /** All scripts in the order of announcement. New scripts are appended. */
  get all(): readonly Script[] {
    return this.#scripts;
  }

  /** Adds the files that the server did not have at the last call: a running program may load more. */
  async readMore(client: Client): Promise<void> {
    const { files } = await client.request('sources', {});
    const newFiles = files.filter((file) => !this.#byUrl.has(urlOf(file)));
    for (let i = 0; i < newFiles.length; i += BATCH_SIZE) {
      const batch = newFiles.slice(i, i + BATCH_SIZE);
      const sources = await Promise.all(batch.map((file) => client.request('source', { file })));
      for (const [index, { source }] of sources.entries())
        if (source !== undefined) this.#add(batch[index] ?? '', source);
    }
  }

  #add(file: string, source: string): void {
    const script = createScript(this.#scripts.length + 1, file, urlOf(file), source);
    // Another session, which shares these scripts, may have added the file meanwhile.
    if (this.#byUrl.has(script.url)) return;
    this.#scripts.push(script);
    this.#byId.set(script.id, script);
    this.#byUrl.set(script.url, script);
  }

  scriptWithId(id: string): Script | undefined {
    return this.#byId.get(id);
  }

  /** @param file the file as the server names it in stack frames */
  scriptOfFile(file: string): Script | undefined {
    return this.#byUrl.get(urlOf(file));
  }

  startOf(url: string): Location | undefined {
    const script = this.#byUrl.get(url);
    const code = script && firstCodeFrom(script, 0);
    return code && script && { scriptId: script.id, lineNumber: code.line, columnNumber: code.column };
  }

  /** Returns the locations of a script's statements, in source order. */
  breakLocationsOf(script: Script, client: Client): Promise<readonly BreakLocation[]> {
    let found = this.#breakLocations.get(script);
    if (found === undefined) {
      found = loadBreakLocations(script, client);
      this.#breakLocations.set(script, found);
      // A later call repeats a failed request.
      found.catch(() => this.#breakLocations.delete(script));
    }
    return found;
  }

  endLocation(): Location {
    return { scriptId: this.#placeholder.id, lineNumber: 0, columnNumber: 0 };
  }

  unknownLocation(): Location {
    return { scriptId: this.#placeholder.id, lineNumber: 1, columnNumber: 0 };
  }

  /** Converts a location of the server, which counts from 1. Undefined if the recording does not have the source. */
  locationOf({ file, line, column }: { file: string; line: number; column: number }): Location | undefined {
    const script = this.scriptOfFile(file);
    return script && { scriptId: script.id, lineNumber: line - 1, columnNumber: column - 1 };
  }
}

/** Returns the location after the last character of a script. */
export function endOf({ lines }: Script): { readonly line: number; readonly column: number } {
  return { line: lines.length - 1, column: lines.at(-1)?.length ?? 0 };
}

/** Returns the parameters of the event `Debugger.scriptParsed`. */
export function scriptParsedParams(script: Script): object {
  const { id, url, source, hash } = script;
  const end = endOf(script);
  return {
    scriptId: id,
    url,
    startLine: 0,
    startColumn: 0,
    endLine: end.line,
    endColumn: end.column,
    executionContextId: EXECUTION_CONTEXT_ID,
    hash,
    length: source.length,
    scriptLanguage: 'JavaScript',
    embedderName: url,
    sourceMapURL: sourceMapUrlOf(script),
  };
}

/** Whether `candidate` is at or after the location. */
export function isAtOrAfter(
  { lineNumber, columnNumber = 0 }: Omit<Location, 'scriptId'>,
  candidate: BreakLocation,
): boolean {
  return (
    candidate.lineNumber > lineNumber || (candidate.lineNumber === lineNumber && candidate.columnNumber >= columnNumber)
  );
}

/** Loads the locations of a file's statements; if they are unknown, guesses one for each line with code. */
async function loadBreakLocations(script: Script, client: Client): Promise<readonly BreakLocation[]> {
  const { id: scriptId, file } = script;
  const all = file === undefined ? [] : await loadStatements(client, { file });
  if (all !== undefined)
    return all.map(({ line, column }) => ({ scriptId, lineNumber: line - 1, columnNumber: column - 1 }));
  const locations: BreakLocation[] = [];
  for (let code = firstCodeFrom(script, 0); code !== undefined; code = firstCodeFrom(script, code.line + 1))
    locations.push({ scriptId, lineNumber: code.line, columnNumber: code.column });
  return locations;
}

/** Returns the first line from `from` on that may start a statement, and the column of its first character. */
function firstCodeFrom(
  { lines }: Script,
  from: number,
): { readonly line: number; readonly column: number } | undefined {
  for (let line = from; line < lines.length; line++) {
    const lineText = lines[line] ?? '';
    const column = lineText.search(/\S/);
    if (column !== -1 && !/^\s*(?:\/\/|\/?\*|[)}\]]*[;,]?\s*$)/.test(lineText)) return { line, column };
  }
  return undefined;
}

function urlOf(file: string): string {
  return file.startsWith('/') || /^[A-Za-z]:\\/.test(file) ? pathToFileURL(file).href : file;
}

function createScript(ordinal: number, file: string | undefined, url: string, source: string): Script {
  const hash = createHash('sha256').update(source).digest('hex');
  return { id: String(ordinal), file, url, source, lines: source.split('\n'), hash };
}
