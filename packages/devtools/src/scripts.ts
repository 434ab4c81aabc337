// The files of a recording as scripts: their texts are those that were recorded, which are as they were written, so places in them are those of the time machine. One script more has no text of
// the program: it is shown where nothing of the program runs.
import { createHash } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import { allStatements, type Client } from '@turntable/time-machine/client';

export interface Script {
  readonly id: string;
  /** As the time machine calls it; nothing, if it is none of the program's. */
  readonly file: string | undefined;
  readonly url: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly hash: string;
}

export interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
  readonly columnNumber?: number | undefined;
}

export interface Place extends Location {
  readonly columnNumber: number;
}

/** The execution context that all is in. */
export const CONTEXT = 1;
/** Texts that are asked for at once. */
const AT_ONCE = 32;
const NOWHERE = [
  '// The end of the recording: nothing runs any more.',
  '// Here runs nothing of which the recording has the text.',
];

export class Scripts {
  /** With no text of the program. */
  readonly #nowhere = scriptOf(1, undefined, 'turntable:recording', NOWHERE.join('\n'));
  readonly #all = [this.#nowhere];
  readonly #byId = new Map([[this.#nowhere.id, this.#nowhere]]);
  readonly #byUrl = new Map<string, Script>();
  readonly #places = new Map<Script, Promise<readonly Place[]>>();

  static async read(client: Client): Promise<Scripts> {
    const scripts = new Scripts();
    await scripts.readMore(client);
    return scripts;
  }

  /** In their order, to which none is added but at the end. */
  get all(): readonly Script[] {
    return this.#all;
  }

  /** Those that a program which goes on has loaded since. */
  async readMore(client: Client): Promise<void> {
    const { files } = await client.request('sources', {});
    const unknown = files.filter((file) => !this.#byUrl.has(urlOf(file)));
    for (let i = 0; i < unknown.length; i += AT_ONCE) {
      const some = unknown.slice(i, i + AT_ONCE);
      const texts = await Promise.all(some.map((file) => client.request('source', { file })));
      for (const [at, { text }] of texts.entries()) if (text !== undefined) this.#add(some[at] ?? '', text);
    }
  }

  #add(file: string, text: string): void {
    const script = scriptOf(this.#all.length + 1, file, urlOf(file), text);
    // Another client may have read it at the same time.
    if (this.#byUrl.has(script.url)) return;
    this.#all.push(script);
    this.#byId.set(script.id, script);
    this.#byUrl.set(script.url, script);
  }

  withId(id: string): Script | undefined {
    return this.#byId.get(id);
  }

  /** @param file as stacks have it */
  ofFile(file: string): Script | undefined {
    return this.#byUrl.get(urlOf(file));
  }

  beginOf(url: string): Location | undefined {
    const script = this.#byUrl.get(url);
    const code = script && codeFrom(script, 0);
    return code && script && { scriptId: script.id, lineNumber: code.line, columnNumber: code.column };
  }

  /** Where somebody may stop, in the order of the text. */
  placesOf(script: Script, client: Client): Promise<readonly Place[]> {
    let found = this.#places.get(script);
    if (found === undefined) {
      found = placesIn(script, client);
      this.#places.set(script, found);
      // Whose time machine has gone asks again.
      found.catch(() => this.#places.delete(script));
    }
    return found;
  }

  atEnd(): Location {
    return { scriptId: this.#nowhere.id, lineNumber: 0, columnNumber: 0 };
  }

  elsewhere(): Location {
    return { scriptId: this.#nowhere.id, lineNumber: 1, columnNumber: 0 };
  }

  /** Of a place as the time machine has it, from 1 on; undefined, if the recording has not its text. */
  locationOf({ file, line, column }: { file: string; line: number; column: number }): Location | undefined {
    const script = this.ofFile(file);
    return script && { scriptId: script.id, lineNumber: line - 1, columnNumber: column - 1 };
  }
}

/** `Debugger.scriptParsed` */
export function parsed({ id, url, text, lines, hash }: Script): object {
  return {
    scriptId: id,
    url,
    startLine: 0,
    startColumn: 0,
    endLine: lines.length - 1,
    endColumn: lines.at(-1)?.length ?? 0,
    executionContextId: CONTEXT,
    hash,
    length: text.length,
    scriptLanguage: 'JavaScript',
    embedderName: url,
  };
}

/** Whether it is at a place or behind it. */
export function isFrom({ lineNumber, columnNumber = 0 }: Omit<Location, 'scriptId'>, place: Place): boolean {
  return place.lineNumber > lineNumber || (place.lineNumber === lineNumber && place.columnNumber >= columnNumber);
}

/** Those of its statements; where nobody knows these, one for each line that may have any. */
async function placesIn(script: Script, client: Client): Promise<readonly Place[]> {
  const { id: scriptId, file } = script;
  const all = file === undefined ? [] : await allStatements(client, { file });
  if (all !== undefined)
    return all.map(({ line, column }) => ({ scriptId, lineNumber: line - 1, columnNumber: column - 1 }));
  const places: Place[] = [];
  for (let code = codeFrom(script, 0); code !== undefined; code = codeFrom(script, code.line + 1))
    places.push({ scriptId, lineNumber: code.line, columnNumber: code.column });
  return places;
}

/** As far as the text says: the first line from one on that may have a statement, and where it begins. */
function codeFrom({ lines }: Script, from: number): { readonly line: number; readonly column: number } | undefined {
  for (let line = from; line < lines.length; line++) {
    const text = lines[line] ?? '';
    const column = text.search(/\S/);
    if (column !== -1 && !/^\s*(?:\/\/|\/?\*|[)}\]]*[;,]?\s*$)/.test(text)) return { line, column };
  }
  return undefined;
}

function urlOf(file: string): string {
  return file.startsWith('/') || /^[A-Za-z]:\\/.test(file) ? pathToFileURL(file).href : file;
}

function scriptOf(number: number, file: string | undefined, url: string, text: string): Script {
  const hash = createHash('sha256').update(text).digest('hex');
  return { id: String(number), file, url, text, lines: text.split('\n'), hash };
}
