// What is to be seen at a statement, in the terminal: where it is in the source, variables, objects, the stack; and breakpoints.
import type { Client, RequestOptions } from '@turntable/time-machine/client';
import type { ParamsOf, ResultOf, ToldBreakpoint, ToldStatement, ToldValue } from '@turntable/time-machine/protocol';
import { counted } from '@turntable/replayer/entry';
import { shown } from '@turntable/replayer/replay';
import { asWord, Misunderstood, nameOfObject, wordsOf } from './words.ts';

/** Parts of an object that are shown at once. */
const PAGE = 50;
/** What is told at once of an expression. */
const LINES = 1000;
const MANY = 1000;

export class Looking {
  readonly #client: Client;
  readonly #print: (text: string) => void;
  readonly #sources = new Map<string, readonly string[]>();

  constructor(client: Client, print: (text: string) => void) {
    this.#client = client;
    this.#print = print;
  }

  async statement({ file, line, column, function: name }: ToldStatement): Promise<void> {
    const text = (await this.#linesOf(file))[line - 1];
    const where = `${nameOfFile(file)}:${line}:${column}${name === '' ? '' : ` in ${shown(name)}`}`;
    this.#print(`          ${where}\n`);
    if (text !== undefined)
      this.#print(`${String(line).padStart(8)} | ${shown(text.trimEnd().replaceAll('\t', '  '))}\n`);
  }

  async #linesOf(file: string): Promise<readonly string[]> {
    let lines = this.#sources.get(file);
    if (lines === undefined) {
      const { text = '' } = await this.#client.request('source', { file });
      this.#sources.set(file, (lines = text.split('\n')));
    }
    return lines;
  }

  async print(text: string, options: RequestOptions): Promise<void> {
    if (text === '') throw new Misunderstood('print needs an expression');
    const { value, error, isPure } = await this.#client.request('evaluate', { text }, options);
    this.#print(`${error === undefined ? (value === undefined ? 'nothing' : valueText(value)) : shown(error)}\n`);
    if (!isPure) this.#print('(what that may have changed is gone as soon as you move)\n');
  }

  /** `[FRAME]` */
  async variables(text: string, options: RequestOptions): Promise<void> {
    if (!/^\d{0,9}$/.test(text)) throw new Misunderstood(`"${text}" is no number of a frame`);
    const { entries } = await this.#client.request('variables', { frame: Number(text) }, options);
    this.#entries(entries);
    if (entries.length === 0) this.#print('there are no variables here\n');
  }

  async expand(id: number, options: RequestOptions): Promise<void> {
    const { entries, total } = await this.#client.request('expand', { id, count: PAGE }, options);
    this.#entries(entries);
    if (total > entries.length) this.#print(`and ${total - entries.length} more\n`);
    if (total === 0) this.#print('it has no parts\n');
  }

  #entries(entries: ResultOf<'variables'>['entries']): void {
    for (const { name, is, value } of entries) {
      const what = value === undefined ? (is === 'accessor' ? '(accessor)' : '(no value yet)') : valueText(value);
      this.#print(`  ${shown(name)} = ${what}\n`);
    }
  }

  async frames(options: RequestOptions): Promise<void> {
    const { frames } = await this.#client.request('frames', {}, options);
    for (const { index, function: name, place } of frames) {
      const where = place === undefined ? '' : `  ${nameOfFile(place.file)}:${place.line}:${place.column}`;
      this.#print(`  ${index}  ${shown(name === '' ? '(the file itself)' : name)}${where}\n`);
    }
    if (frames.length === 0) this.#print('nothing is on the stack before a stretch\n');
  }

  async population(options: RequestOptions): Promise<void> {
    const { actors, total } = await this.#client.request('population', { count: MANY }, options);
    for (const { worker, name, turns, waiting, value } of actors) {
      const about = `worker ${worker}, ${counted(turns, 'turn')}, ${counted(waiting, 'message')} waiting`;
      this.#print(`  ${shown(name).padEnd(24)}  ${about}${value === undefined ? '' : `  ${valueText(value)}`}\n`);
    }
    if (total > actors.length) this.#print(`and ${total - actors.length} more\n`);
    if (total === 0) this.#print('no actor lives here\n');
  }

  async mailbox(actor: string, options: RequestOptions): Promise<void> {
    const { actors } = await this.#client.request('population', { count: MANY }, options);
    const names = actors.map(({ name }) => name);
    const found = actors.find(({ name }) => name === actor);
    if (found === undefined)
      throw new Misunderstood(
        names.length === 0
          ? 'no actor lives here'
          : `"${actor}" does not live here; ${names.slice(0, 10).join(', ')} do`,
      );
    const { worker, id } = found;
    const { messages, total } = await this.#client.request('mailbox', { worker, id, count: PAGE }, options);
    for (const { what, from, values } of messages) {
      const sender = from === undefined ? '' : `  from ${shown(from)}`;
      const given = values === undefined ? '…' : values.map(valueText).join(', ');
      this.#print(`  ${shown(what)}(${given})${sender}${values === undefined ? ', under way' : ''}\n`);
    }
    if (total > messages.length) this.#print(`and ${total - messages.length} more\n`);
    if (total === 0) this.#print('nothing waits for it\n');
  }

  /** `FROM [TO] [ACTOR]` */
  async difference([from, ...others]: readonly string[], options: RequestOptions): Promise<void> {
    if (from === undefined) throw new Misunderstood('difference needs a position to compare with');
    const to = /^(?:\d|start$|end$)/.test(others[0] ?? '') ? others[0] : undefined;
    const [actor] = to === undefined ? others : others.slice(1);
    const wish = { from, to, actor, count: MANY };
    const { entries, total, isCut } = await this.#client.request('difference', wish, options);
    let last: string | undefined;
    for (const { actor: whose, path, before, after } of entries) {
      if (whose !== last) this.#print(`  ${shown(whose)}\n`);
      last = whose;
      const change =
        before === undefined
          ? `= ${shown(after ?? '')}, which is new`
          : after === undefined
            ? `was ${shown(before)}, and is gone`
            : `${shown(before)} -> ${shown(after)}`;
      this.#print(`    ${shown(path)}  ${change}\n`);
    }
    if (total > entries.length) this.#print(`and ${total - entries.length} more\n`);
    if (total === 0) this.#print('nothing differs\n');
    if (isCut) this.#print('what is further inside was not compared\n');
  }

  /** `FILE:LINE[:COLUMN] [times N] [if EXPRESSION]`, `KIND [MATCHING] [times N] [if EXPRESSION]`, or nothing. */
  async break(text: string, options: RequestOptions): Promise<void> {
    if (text === '') {
      const { breakpoints } = await this.#client.request('breakpoints', {}, options);
      for (const each of breakpoints) this.#breakpoint(each);
      if (breakpoints.length === 0) this.#print('there is none\n');
      return;
    }
    this.#breakpoint(await this.#client.request('break', wishIn(text), options));
  }

  #breakpoint({ id, file = '', line, column, kind, matching, times, condition }: ToldBreakpoint): void {
    const where =
      kind === undefined
        ? `${shown(file)}:${line}${column === undefined ? '' : `:${column}`}`
        : `${shown(kind)}${matching === undefined ? '' : ` ${asWord(shown(matching))}`}`;
    const which = times === undefined ? '' : ` times ${times}`;
    this.#print(`  ${id}  ${where}${which}${condition === undefined ? '' : ` if ${shown(condition)}`}\n`);
  }

  /** `FILE:LINE[:COLUMN] EXPRESSION` */
  async log(text: string, from: number, options: RequestOptions): Promise<void> {
    const match = /^(\S+?):(\d{1,9})(?::(\d{1,9}))?\s+(.+)$/.exec(text);
    if (match === null) throw new Misunderstood(`"${text}" is no FILE:LINE[:COLUMN] EXPRESSION`);
    const [, file = '', line, column, log = ''] = match;
    const wish = { file, line: Number(line), column: numberOf(column), log, from, count: LINES };
    const { hits, next } = await this.#client.request('log', wish, options);
    for (const { position, log, error } of hits)
      this.#print(`  ${position.padEnd(16)}  ${shown(log ?? error ?? '')}\n`);
    if (hits.length === 0) this.#print('it is not come by any more\n');
    if (next !== undefined) this.#print(`there may be more from ${next} on\n`);
  }

  async unbreak(id: number, options: RequestOptions): Promise<void> {
    const { found } = await this.#client.request('unbreak', { id }, options);
    if (!found) this.#print(`there is no breakpoint ${id}\n`);
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function valueText({ preview, id }: ToldValue): string {
  return `${shown(preview)}${id === undefined ? '' : `  ${nameOfObject(id)}`}`;
}

export function nameOfFile(file: string): string {
  return shown(file.split('/').at(-1) ?? file);
}

const COUNT_AND_CONDITION = /^(.*?)(?:(?:^|\s+)times\s+(\d{1,9}))?(?:(?:^|\s+)if\s+(.+))?$/;

function wishIn(text: string): ParamsOf<'break'> {
  const line = /^(.+?):(\d{1,9})(?::(\d{1,9}))?(?:\s+times\s+(\d{1,9}))?(?:\s+if\s+(.+))?$/.exec(text);
  if (line !== null) {
    const [, file, number, column, times, condition] = line;
    return { file, line: Number(number), column: numberOf(column), times: numberOf(times), condition };
  }
  const [kind, second] = wordsOf(text);
  const [, matching = '', times, condition] =
    COUNT_AND_CONDITION.exec(second === undefined ? '' : text.slice(second.at)) ?? [];
  const [word, ...others] = wordsOf(matching);
  // A file is meant, or something that has no place here.
  if (kind === undefined || others.length > 0 || /[.:/]/.test(kind.text))
    throw new Misunderstood(`"${text}" is no FILE:LINE[:COLUMN] or KIND [MATCHING], with [times N] [if EXPRESSION]`);
  return { kind: kind.text, matching: word?.text, times: numberOf(times), condition };
}
