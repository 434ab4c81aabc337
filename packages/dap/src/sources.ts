// Files of the program as editors know them: by their path where they are as they were recorded, otherwise by a number, by which their recorded text can be asked for. A breakpoint is set in
// whatever file an editor has open: the recorded one that is meant is the one that is called most like it.
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allStatements, type ToldPlace } from '@turntable/time-machine/client';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import type { Given } from './given.ts';
import type { Ground } from './ground.ts';
import type { Told } from './told.ts';

export type ToldSource = Told<DebugProtocol.Source>;

interface Recorded {
  readonly file: string;
  /** For clients, from 1 on. */
  readonly number: number;
  told: Promise<ToldSource> | undefined;
}

export class Sources {
  readonly #ground: Ground;
  readonly #all: readonly Recorded[];
  readonly #byFile: ReadonlyMap<string, Recorded>;
  readonly #statements = new Map<string, Promise<readonly ToldPlace[] | undefined>>();

  private constructor(ground: Ground, files: readonly string[]) {
    this.#ground = ground;
    this.#all = files.map((file, i) => ({ file, number: i + 1, told: undefined }));
    this.#byFile = new Map(this.#all.map((each) => [each.file, each]));
  }

  static async read(ground: Ground): Promise<Sources> {
    const { files } = await ground.client.request('sources', {});
    return new Sources(ground, files);
  }

  /** @param file as stacks have it */
  async told(file: string): Promise<ToldSource> {
    const recorded = this.#byFile.get(pathOf(file));
    if (recorded === undefined)
      return { name: basename(file), presentationHint: 'deemphasize', origin: 'not recorded' };
    return (recorded.told ??= this.#toldOf(recorded));
  }

  all(): Promise<ToldSource[]> {
    return Promise.all(this.#all.map(({ file }) => this.told(file)));
  }

  async text(source: Given, number: number | undefined): Promise<string> {
    const file = number ? this.#all[number - 1]?.file : this.meant(source);
    const text = file && (await this.#recordedText(file));
    if (text !== undefined && text !== '') return text;
    if (file !== undefined && text === '') return '';
    throw new DapError('TT_DAP_NOT_THERE', 'the recording has no such file; loadedSources tells which it has');
  }

  /** Which recorded file a client means; undefined, if there is none like it. */
  meant(source: Given): string | undefined {
    const number = source.optionalInteger('sourceReference');
    if (number !== undefined && number > 0) return this.#all[number - 1]?.file;
    const path = source.optionalText('path');
    if (path === undefined) return undefined;
    const exact = this.#byFile.get(pathOf(path));
    if (exact !== undefined) return exact.file;
    const rated = this.#all.map((each) => ({ file: each.file, alike: alike(each.file, path) }));
    const most = Math.max(0, ...rated.map((each) => each.alike));
    const best = rated.filter((each) => each.alike === most);
    return most > 0 && best.length === 1 ? best[0]?.file : undefined;
  }

  async lines(file: string): Promise<number> {
    return ((await this.#recordedText(file)) ?? '').split('\n').length;
  }

  /** Its statements, in the order of the text; undefined, if they are not known. */
  statements(file: string): Promise<readonly ToldPlace[] | undefined> {
    let found = this.#statements.get(file);
    if (found === undefined) {
      found = allStatements(this.#ground.client, { file });
      this.#statements.set(file, found);
      found.catch(() => this.#statements.delete(file));
    }
    return found;
  }

  async #toldOf({ file, number }: Recorded): Promise<ToldSource> {
    const [text, here] = await Promise.all([this.#recordedText(file), textOf(file)]);
    const name = basename(file);
    if (here !== undefined && here === text) return { name, path: file };
    const origin = here === undefined ? 'as it was recorded' : 'as it was recorded: the file is another one now';
    return { name, path: file, sourceReference: number, origin };
  }

  async #recordedText(file: string): Promise<string | undefined> {
    return (await this.#ground.client.request('source', { file })).text;
  }
}

export function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** How many names their paths have in common at their ends. */
function alike(one: string, other: string): number {
  const [a, b] = [one, other].map((path) => path.split(/[/\\]/).toReversed());
  let count = 0;
  while (count < (a?.length ?? 0) && a?.[count] !== '' && a?.[count] === b?.[count]) count++;
  return count;
}
