// Terminal commands about the current statement: source, variables, objects, stack and breakpoints.
import type { Client, RequestOptions } from '@turntable/time-machine/client';
import type { ParamsOf, ResultOf, BreakpointInfo, StatementInfo, ValueInfo } from '@turntable/time-machine/protocol';
import { formatCount } from '@turntable/replayer/entry';
import { sanitizeText } from '@turntable/replayer/replay';
import { quoteWord, ReplInputError, objectLabel, splitWords } from './words.ts';

/** Maximum number of an object's parts shown at once. */
const PAGE_SIZE = 50;
/** Maximum number of a log point's results shown at once. */
const MAX_LOG_LINES = 1000;
const MAX_ROWS = 1000;

export class InspectionCommands {
  readonly #client: Client;
  readonly #print: (text: string) => void;
  readonly #sources = new Map<string, readonly string[]>();

  constructor(client: Client, print: (text: string) => void) {
    this.#client = client;
    this.#print = print;
  }

  async statement({ file, line, column, function: name }: StatementInfo): Promise<void> {
    const text = (await this.#sourceLines(file))[line - 1];
    const locationText = `${fileNameOf(file)}:${line}:${column}${name === '' ? '' : ` in ${sanitizeText(name)}`}`;
    this.#print(`          ${locationText}\n`);
    if (text !== undefined)
      this.#print(`${String(line).padStart(8)} | ${sanitizeText(text.trimEnd().replaceAll('\t', '  '))}\n`);
  }

  async #sourceLines(file: string): Promise<readonly string[]> {
    let lines = this.#sources.get(file);
    if (lines === undefined) {
      const { source = '' } = await this.#client.request('source', { file });
      this.#sources.set(file, (lines = source.split('\n')));
    }
    return lines;
  }

  async print(text: string, options: RequestOptions): Promise<void> {
    if (text === '') throw new ReplInputError('print needs an expression');
    const { value, error, isPure } = await this.#client.request('evaluate', { expression: text }, options);
    this.#print(
      `${error === undefined ? (value === undefined ? 'nothing' : valueText(value)) : sanitizeText(error)}\n`,
    );
    if (!isPure) this.#print('(changes it made are undone at the next move)\n');
  }

  /** Prints variables. Arguments: `[FRAME]` */
  async variables(text: string, options: RequestOptions): Promise<void> {
    if (!/^\d{0,9}$/.test(text)) throw new ReplInputError(`"${text}" is not the number of a frame`);
    const { entries } = await this.#client.request('variables', { frame: Number(text) }, options);
    this.#printEntries(entries);
    if (entries.length === 0) this.#print('there are no variables here\n');
  }

  async expand(id: number, options: RequestOptions): Promise<void> {
    const { entries, total } = await this.#client.request('expand', { id, count: PAGE_SIZE }, options);
    this.#printEntries(entries);
    if (total > entries.length) this.#print(`and ${total - entries.length} more\n`);
    if (total === 0) this.#print('it has no parts\n');
  }

  #printEntries(entries: ResultOf<'variables'>['entries']): void {
    for (const { name, kind, value } of entries) {
      const valueString =
        value === undefined ? (kind === 'accessor' ? '(accessor)' : '(no value yet)') : valueText(value);
      this.#print(`  ${sanitizeText(name)} = ${valueString}\n`);
    }
  }

  async frames(options: RequestOptions): Promise<void> {
    const { frames } = await this.#client.request('frames', {}, options);
    for (const { index, function: name, location } of frames) {
      const locationText =
        location === undefined ? '' : `  ${fileNameOf(location.file)}:${location.line}:${location.column}`;
      this.#print(`  ${index}  ${sanitizeText(name === '' ? '(the file itself)' : name)}${locationText}\n`);
    }
    if (frames.length === 0) this.#print('the stack is empty before a task\n');
  }

  async population(options: RequestOptions): Promise<void> {
    const { actors, total } = await this.#client.request('liveActors', { count: MAX_ROWS }, options);
    for (const { worker, name, turns, waitingCount, value } of actors) {
      const details = `worker ${worker}, ${formatCount(turns, 'turn')}, ${formatCount(waitingCount, 'message')} waiting`;
      this.#print(
        `  ${sanitizeText(name).padEnd(24)}  ${details}${value === undefined ? '' : `  ${valueText(value)}`}\n`,
      );
    }
    if (total > actors.length) this.#print(`and ${total - actors.length} more\n`);
    if (total === 0) this.#print('there are no actors here\n');
  }

  async mailbox(actor: string, options: RequestOptions): Promise<void> {
    const { actors } = await this.#client.request('liveActors', { count: MAX_ROWS }, options);
    const names = actors.map(({ name }) => name);
    const found = actors.find(({ name }) => name === actor);
    if (found === undefined)
      throw new ReplInputError(
        names.length === 0
          ? 'there are no actors here'
          : `there is no actor "${actor}" here; there are ${names.slice(0, 10).join(', ')}`,
      );
    const { worker, id } = found;
    const { messages, total } = await this.#client.request('mailbox', { worker, id, count: PAGE_SIZE }, options);
    for (const { subject, sender: senderName, values } of messages) {
      const sender = senderName === undefined ? '' : `  from ${sanitizeText(senderName)}`;
      const argumentsText = values === undefined ? '…' : values.map(valueText).join(', ');
      this.#print(
        `  ${sanitizeText(subject)}(${argumentsText})${sender}${values === undefined ? ', under way' : ''}\n`,
      );
    }
    if (total > messages.length) this.#print(`and ${total - messages.length} more\n`);
    if (total === 0) this.#print('no messages are waiting\n');
  }

  /** Prints the difference of two states. Arguments: `FROM [TO] [ACTOR]` */
  async difference([from, ...others]: readonly string[], options: RequestOptions): Promise<void> {
    if (from === undefined) throw new ReplInputError('difference needs a position to compare with');
    const to = /^(?:\d|start$|end$)/.test(others[0] ?? '') ? others[0] : undefined;
    const [actor] = to === undefined ? others : others.slice(1);
    const params = { from, to, actor, count: MAX_ROWS };
    const { entries, total, isTruncated } = await this.#client.request('difference', params, options);
    let previousActor: string | undefined;
    for (const { actor: actorName, path, before, after } of entries) {
      if (actorName !== previousActor) this.#print(`  ${sanitizeText(actorName)}\n`);
      previousActor = actorName;
      const change =
        before === undefined
          ? `= ${sanitizeText(after ?? '')} (new)`
          : after === undefined
            ? `was ${sanitizeText(before)} (removed)`
            : `${sanitizeText(before)} -> ${sanitizeText(after)}`;
      this.#print(`    ${sanitizeText(path)}  ${change}\n`);
    }
    if (total > entries.length) this.#print(`and ${total - entries.length} more\n`);
    if (total === 0) this.#print('nothing differs\n');
    if (isTruncated) this.#print('deeper parts were not compared\n');
  }

  /** Lists breakpoints or sets one: `FILE:LINE[:COLUMN]` or `KIND [MATCHING]`, then `[times N] [if EXPRESSION]`. */
  async break(text: string, options: RequestOptions): Promise<void> {
    if (text === '') {
      const { breakpoints } = await this.#client.request('breakpoints', {}, options);
      for (const each of breakpoints) this.#printBreakpoint(each);
      if (breakpoints.length === 0) this.#print('there is none\n');
      return;
    }
    this.#printBreakpoint(await this.#client.request('addBreakpoint', parseBreakpoint(text), options));
  }

  #printBreakpoint({ id, file = '', line, column, kind, matching, hitNumber, condition }: BreakpointInfo): void {
    const locationText =
      kind === undefined
        ? `${sanitizeText(file)}:${line}${column === undefined ? '' : `:${column}`}`
        : `${sanitizeText(kind)}${matching === undefined ? '' : ` ${quoteWord(sanitizeText(matching))}`}`;
    const timesText = hitNumber === undefined ? '' : ` times ${hitNumber}`;
    this.#print(
      `  ${id}  ${locationText}${timesText}${condition === undefined ? '' : ` if ${sanitizeText(condition)}`}\n`,
    );
  }

  /** Prints the results of a log point. Arguments: `FILE:LINE[:COLUMN] EXPRESSION` */
  async log(text: string, from: number, options: RequestOptions): Promise<void> {
    const match = /^(\S+?):(\d{1,9})(?::(\d{1,9}))?\s+(.+)$/.exec(text);
    if (match === null) throw new ReplInputError(`"${text}" must be FILE:LINE[:COLUMN] EXPRESSION`);
    const [, file = '', line, column, log = ''] = match;
    const params = {
      file,
      line: Number(line),
      column: optionalNumber(column),
      logExpression: log,
      from,
      count: MAX_LOG_LINES,
    };
    const { hits, next } = await this.#client.request('logPoint', params, options);
    for (const { position, logValue: value, error } of hits)
      this.#print(`  ${position.padEnd(16)}  ${sanitizeText(value ?? error ?? '')}\n`);
    if (hits.length === 0) this.#print('it is not executed again\n');
    if (next !== undefined) this.#print(`there may be more from ${next} on\n`);
  }

  async unbreak(id: number, options: RequestOptions): Promise<void> {
    const { found } = await this.#client.request('removeBreakpoint', { id }, options);
    if (!found) this.#print(`there is no breakpoint ${id}\n`);
  }
}

function optionalNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function valueText({ preview, id }: ValueInfo): string {
  return `${sanitizeText(preview)}${id === undefined ? '' : `  ${objectLabel(id)}`}`;
}

export function fileNameOf(file: string): string {
  return sanitizeText(file.split('/').at(-1) ?? file);
}

const COUNT_AND_CONDITION = /^(.*?)(?:(?:^|\s+)times\s+(\d{1,9}))?(?:(?:^|\s+)if\s+(.+))?$/;

function parseBreakpoint(text: string): ParamsOf<'addBreakpoint'> {
  const line = /^(.+?):(\d{1,9})(?::(\d{1,9}))?(?:\s+times\s+(\d{1,9}))?(?:\s+if\s+(.+))?$/.exec(text);
  if (line !== null) {
    const [, file, number, column, hitNumber, condition] = line;
    return {
      file,
      line: Number(number),
      column: optionalNumber(column),
      hitNumber: optionalNumber(hitNumber),
      condition,
    };
  }
  const [kind, second] = splitWords(text);
  const [, matching = '', hitNumber, condition] =
    COUNT_AND_CONDITION.exec(second === undefined ? '' : text.slice(second.offset)) ?? [];
  const [word, ...others] = splitWords(matching);
  // The text is the name of a file without a line, or invalid.
  if (kind === undefined || others.length > 0 || /[.:/]/.test(kind.text))
    throw new ReplInputError(`"${text}" must be FILE:LINE[:COLUMN] or KIND [MATCHING], then [times N] [if EXPRESSION]`);
  return { kind: kind.text, matching: word?.text, hitNumber: optionalNumber(hitNumber), condition };
}
