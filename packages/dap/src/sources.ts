// Source files of the program. A file that is on disk as it was recorded is reported by path, any other file by a
// reference to the recorded text. A breakpoint in any open file is set in the recorded file whose path has the longest
// common suffix.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { displayPath, loadStatements, type ListedStatement } from '@turntable/time-machine/client';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import type { RequestArguments } from './request-arguments.ts';
import type { SessionContext } from './session-context.ts';
import type { WithUndefined } from './with-undefined.ts';

export type DapSource = WithUndefined<DebugProtocol.Source>;

interface RecordedFile {
  readonly file: string;
  /** The `sourceReference` that clients use, from 1 on. */
  readonly reference: number;
  source: Promise<DapSource> | undefined;
}

/** Lines of a file that has changed since it was recorded. */
export interface EditedLines {
  readonly current: readonly string[];
  readonly recorded: readonly string[];
}

export class Sources {
  readonly #context: SessionContext;
  readonly #files: readonly RecordedFile[];
  readonly #byPath: ReadonlyMap<string, RecordedFile>;
  readonly #statements = new Map<string, Promise<readonly ListedStatement[] | undefined>>();

  private constructor(context: SessionContext, files: readonly string[]) {
    this.#context = context;
    this.#files = files.map((file, i) => ({ file, reference: i + 1, source: undefined }));
    this.#byPath = new Map(this.#files.map((each) => [each.file, each]));
  }

  static async read(context: SessionContext): Promise<Sources> {
    const { files } = await context.client.request('sources', {});
    return new Sources(context, files);
  }

  /** @param file the file as the server names it in stack frames */
  async sourceOf(file: string): Promise<DapSource> {
    const recordedFile = this.#byPath.get(pathOf(file));
    if (recordedFile === undefined)
      return { name: displayPath(file), presentationHint: 'deemphasize', origin: 'not recorded' };
    return (recordedFile.source ??= this.#describe(recordedFile));
  }

  all(): Promise<DapSource[]> {
    return Promise.all(this.#files.map(({ file }) => this.sourceOf(file)));
  }

  async text(source: RequestArguments, reference: number | undefined): Promise<string> {
    const file = reference ? this.#files[reference - 1]?.file : this.resolve(source);
    const text = file && (await this.#recordedText(file));
    if (text !== undefined && text !== '') return text;
    if (file !== undefined && text === '') return '';
    throw new DapError('TT_DAP_NOT_THERE', 'the recording has no such file; loadedSources lists its files');
  }

  /**
   * Returns the recorded file for a client's source: by reference, by exact path, or by the longest common path suffix.
   * Undefined if no file matches, or several match equally.
   */
  resolve(source: RequestArguments): string | undefined {
    const reference = source.optionalInteger('sourceReference');
    if (reference !== undefined && reference > 0) return this.#files[reference - 1]?.file;
    const path = source.optionalString('path');
    if (path === undefined) return undefined;
    const exact = this.#byPath.get(pathOf(path));
    if (exact !== undefined) return exact.file;
    const scored = this.#files.map((each) => ({ file: each.file, score: commonSuffixLength(each.file, path) }));
    const maxScore = Math.max(0, ...scored.map((each) => each.score));
    const candidates = scored.filter((each) => each.score === maxScore);
    return maxScore > 0 && candidates.length === 1 ? candidates[0]?.file : undefined;
  }

  /** Returns the lines of a client's file if they differ from the recorded lines. */
  async editedLines(source: RequestArguments, file: string): Promise<EditedLines | undefined> {
    const path = source.optionalString('path');
    // The client shows the recorded text.
    if (path === undefined || (source.optionalInteger('sourceReference') ?? 0) > 0) return undefined;
    const [current, recorded] = await Promise.all([readText(pathOf(path)), this.#recordedText(file)]);
    if (current === undefined || recorded === undefined || current === recorded) return undefined;
    return { current: current.split('\n'), recorded: recorded.split('\n') };
  }

  async lineCount(file: string): Promise<number> {
    return ((await this.#recordedText(file)) ?? '').split('\n').length;
  }

  /** Returns the statements of a file in source order; undefined if the server does not know them. */
  statements(file: string): Promise<readonly ListedStatement[] | undefined> {
    let found = this.#statements.get(file);
    if (found === undefined) {
      found = loadStatements(this.#context.client, { file });
      this.#statements.set(file, found);
      found.catch(() => this.#statements.delete(file));
    }
    return found;
  }

  async #describe({ file, reference }: RecordedFile): Promise<DapSource> {
    const [text, currentText] = await Promise.all([this.#recordedText(file), readText(file)]);
    const name = displayPath(file);
    if (currentText !== undefined && currentText === text) return { name, path: file };
    const origin = currentText === undefined ? 'as recorded' : 'as recorded; the file has changed since';
    return { name, path: file, sourceReference: reference, origin };
  }

  async #recordedText(file: string): Promise<string | undefined> {
    return (await this.#context.client.request('source', { file })).source;
  }
}

export function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the number of path segments that two paths share at their ends. */
function commonSuffixLength(first: string, second: string): number {
  const [a, b] = [first, second].map((path) => path.split(/[/\\]/).toReversed());
  let count = 0;
  while (count < (a?.length ?? 0) && a?.[count] !== '' && a?.[count] === b?.[count]) count++;
  return count;
}
