// Terminal commands that list what a recording has, and how states and values change in it.
import { EVENT_KIND_GROUPS, type RequestOptions } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import { formatCount } from '@turntable/replayer/entry';
import { sanitizeText } from '@turntable/replayer/entry';
import type { LineArguments } from './line-arguments.ts';
import { parseRequestFilter, requestLine } from './request-lines.ts';
import { valueText, type ReplSession } from './session.ts';
import { parseNumber, ReplInputError } from './words.ts';

type EventKind = ParamsOf<'events'>['kinds'][number];

/** Default number of tasks shown at once. */
const PAGE_SIZE = 10;
/** Maximum number of other lines shown at once. */
const MAX_LINES = 100;
const MAX_CHANGES = 200;
const MAX_ROWS = 1000;
/** Kinds of recorded events by the kinds that users name. Other kinds have the same name. */
const EVENT_KINDS: Readonly<Record<string, readonly EventKind[]>> = {
  ...EVENT_KIND_GROUPS,
  snapshot: ['cut'],
};
/** The kinds that `events` lists without a kind: all but host calls, which are many. */
const LISTED_KINDS: readonly EventKind[] = [
  'request',
  'response',
  'caught',
  'rejection',
  'uncaught',
  'unhandled',
  'stdout',
  'stderr',
  'cut',
];

export class RecordingCommands {
  readonly #session: ReplSession;
  /** First task of the next page of `tasks`. */
  #nextListed: number | undefined;

  constructor(session: ReplSession) {
    this.#session = session;
  }

  positionChanged(): void {
    this.#nextListed = undefined;
  }

  /** Lists tasks. Arguments: `[FROM [COUNT]]` */
  async tasks(args: LineArguments, options: RequestOptions): Promise<void> {
    args.expectAtMost(2, 'tasks [FROM [COUNT]]');
    const [from = this.#nextListed ?? this.#session.cursor.order, count = PAGE_SIZE] = args.words.map((word) =>
      parseNumber(word),
    );
    const { tasks, next } = await this.#session.request('tasks', { from, count }, options);
    for (const each of tasks) this.#session.printTask(each);
    this.#nextListed = next;
    if (tasks.length === 0) this.#session.print('no more tasks\n');
  }

  async replies(options: RequestOptions): Promise<void> {
    const { order, task } = this.#session.cursor;
    if (task === undefined) throw new ReplInputError('no task runs at the end of the recording');
    const { tasks, total } = await this.#session.request('receivers', { task: order, count: PAGE_SIZE }, options);
    for (const each of tasks) this.#session.printTask(each);
    if (total > tasks.length) this.#session.print(`and ${total - tasks.length} more\n`);
    if (total === 0) this.#session.print('no recorded task handles a message of this task\n');
  }

  /** Prints the chain of senders of the current task. Arguments: `[COUNT]` */
  async why(args: LineArguments, options: RequestOptions): Promise<void> {
    const params = { count: args.text === '' ? PAGE_SIZE : parseNumber(args.text) };
    const { tasks, reason } = await this.#session.request('history', params, options);
    for (const { task, sentAt, statement } of tasks) {
      this.#session.printTask(task);
      if (sentAt !== undefined) this.#session.print(`          sent at ${sentAt}\n`);
      if (statement !== undefined) await this.#session.showStatement(statement);
    }
    this.#session.printLine(reason ?? `the chain is longer; use: why ${params.count * 2}`);
  }

  async changes(expression: string, options: RequestOptions): Promise<void> {
    if (expression === '') throw new ReplInputError('changes needs an expression');
    const { changes, next } = await this.#session.request('changes', { expression, count: MAX_CHANGES }, options);
    for (const { task, before, after } of changes) {
      this.#session.printTask(task);
      this.#session.printLine(`          ${before} -> ${after}`);
    }
    if (changes.length === 0) this.#session.printLine(await this.#whyUnchanged(expression, options));
    if (next !== undefined) this.#session.print(`there may be more from ${next} on\n`);
  }

  async #whyUnchanged(expression: string, options: RequestOptions): Promise<string> {
    const { error } = await this.#session.request('evaluate', { expression, effects: 'none' }, options);
    if (error !== undefined) return `no value: ${error}`;
    const [variable] = /^[\w$]+/.exec(expression) ?? [];
    const { statement } = this.#session.cursor;
    const { entries } =
      statement === undefined ? { entries: [] } : await this.#session.request('variables', {}, options);
    return variable !== 'this' && entries.some(({ name }) => name === variable)
      ? `${variable} is a local variable; changes follows variables of the file and parts of this`
      : 'the value never changes';
  }

  async actors(args: LineArguments, options: RequestOptions): Promise<void> {
    const { actors, total } = await this.#session.request(
      'actors',
      { actor: args.textAfter(0), count: MAX_LINES },
      options,
    );
    for (const { worker, name, taskCount, firstTask, lastTask, creation } of actors) {
      const creationText = creation === undefined ? '' : `, constructed at ${creation}`;
      this.#session.printLine(
        `  ${name.padEnd(24)}  worker ${worker}, ${formatCount(taskCount, 'task')} from ${firstTask} to ${lastTask}${creationText}`,
      );
    }
    if (total > actors.length) this.#session.print(`and ${total - actors.length} more\n`);
    if (total === 0) this.#session.print('no actor has this name\n');
  }

  /** Lists events. Arguments: `[KIND] [TEXT]` */
  async events(args: LineArguments, options: RequestOptions): Promise<void> {
    const [word] = args.words;
    const kinds = word === undefined ? LISTED_KINDS : this.#eventKindsOf(word);
    const text = args.textAfter(1);
    const params = { kinds, text, from: this.#session.cursor.order, count: MAX_LINES };
    const { events, next } = await this.#session.request('events', params, options);
    for (const { position, time, kind, value, text = value } of events) {
      const kindName = kind === 'cut' ? 'snapshot' : kind;
      const kindText = kinds.length > 1 ? `${kindName.padEnd(9)}  ` : '';
      const line = String(text).split('\n', 1)[0] ?? '';
      this.#session.printLine(`  ${position.padEnd(10)}  ${this.#session.timeText(time)}  ${kindText}${line}`);
    }
    if (events.length === 0) this.#session.print('no such events from here on\n');
    if (next !== undefined) this.#session.print(`there are more from ${next} on\n`);
  }

  #eventKindsOf(word: string): readonly EventKind[] {
    const { eventKinds } = this.#session.hello;
    const found = Object.hasOwn(EVENT_KINDS, word)
      ? EVENT_KINDS[word]
      : eventKinds.filter(({ id }) => id === word).map(({ id }) => id as EventKind);
    if (found !== undefined && found.length > 0) return found;
    const names = [...new Set([...Object.keys(EVENT_KINDS), ...eventKinds.map(({ id }) => id)])];
    throw new ReplInputError(`there is no kind "${word}" of events: ${names.join(', ')}`);
  }

  async requests(args: LineArguments, options: RequestOptions): Promise<void> {
    const { requests, total } = await this.#session.request(
      'requests',
      parseRequestFilter(args.words, MAX_LINES),
      options,
    );
    for (const each of requests) this.#session.print(requestLine(each, this.#session.hello.startTime));
    if (total > requests.length) this.#session.print(`and ${total - requests.length} more\n`);
    if (total === 0) this.#session.print('no such requests\n');
  }

  async find(args: LineArguments, options: RequestOptions): Promise<void> {
    // Quotes around the text preserve its leading and trailing spaces.
    const text = args.textAfter(0) ?? '';
    if (text === '') throw new ReplInputError('find needs a text');
    const params = { text, from: this.#session.cursor.order, count: MAX_LINES };
    const { matches, next } = await this.#session.request('search', params, options);
    for (const { position, time, kind, text: fullText } of matches) {
      const line = fullText.split('\n', 1)[0] ?? '';
      this.#session.printLine(`  ${position.padEnd(10)}  ${this.#session.timeText(time)}  ${kind.padEnd(9)}  ${line}`);
    }
    if (matches.length === 0)
      this.#session.print('no match from here on in names, errors, requests, host calls and output\n');
    if (next !== undefined) this.#session.print(`there are more matches from ${next} on\n`);
  }

  async liveActors(options: RequestOptions): Promise<void> {
    const { actors, total } = await this.#session.request('liveActors', { count: MAX_ROWS }, options);
    for (const { worker, name, turns, waitingCount, value } of actors) {
      const details = `worker ${worker}, ${formatCount(turns, 'turn')}, ${formatCount(waitingCount, 'message')} waiting`;
      this.#session.print(
        `  ${sanitizeText(name).padEnd(24)}  ${details}${value === undefined ? '' : `  ${valueText(value)}`}\n`,
      );
    }
    if (total > actors.length) this.#session.print(`and ${total - actors.length} more\n`);
    if (total === 0) this.#session.print('no actors here\n');
  }

  async mailbox(args: LineArguments, options: RequestOptions): Promise<void> {
    const actor = args.textAfter(0);
    if (actor === undefined) throw new ReplInputError('mailbox needs an ACTOR; see info actors');
    const { actors } = await this.#session.request('liveActors', { count: MAX_ROWS }, options);
    const names = actors.map(({ name }) => name);
    const found = actors.find(({ name }) => name === actor);
    if (found === undefined)
      throw new ReplInputError(
        names.length === 0
          ? 'no actors here'
          : `there is no actor "${actor}" here; available: ${names.slice(0, 10).join(', ')}`,
      );
    const { worker, id } = found;
    const { messages, total } = await this.#session.request('mailbox', { worker, id, count: MAX_LINES }, options);
    for (const { subject, sender: senderName, values } of messages) {
      const sender = senderName === undefined ? '' : `  from ${sanitizeText(senderName)}`;
      const argumentsText = values === undefined ? '…' : values.map(valueText).join(', ');
      this.#session.print(
        `  ${sanitizeText(subject)}(${argumentsText})${sender}${values === undefined ? ', in flight' : ''}\n`,
      );
    }
    if (total > messages.length) this.#session.print(`and ${total - messages.length} more\n`);
    if (total === 0) this.#session.print('no messages are waiting\n');
  }

  /** Prints the difference of two states. Arguments: `FROM [TO] [ACTOR]` */
  async diff(args: LineArguments, options: RequestOptions): Promise<void> {
    const [from, ...others] = args.words;
    if (from === undefined) throw new ReplInputError('diff needs a position; usage: diff FROM [TO] [ACTOR]');
    const to = /^(?:\d|start$|end$)/.test(others[0] ?? '') ? others[0] : undefined;
    const [actor] = to === undefined ? others : others.slice(1);
    const params = { from, to, actor, count: MAX_ROWS };
    const { entries, total, isTruncated } = await this.#session.request('difference', params, options);
    let previousActor: string | undefined;
    for (const { actor: actorName, path, before, after } of entries) {
      if (actorName !== previousActor) this.#session.printLine(`  ${actorName}`);
      previousActor = actorName;
      const change =
        before === undefined
          ? `= ${after ?? ''} (new)`
          : after === undefined
            ? `was ${before} (removed)`
            : `${before} -> ${after}`;
      this.#session.printLine(`    ${path}  ${change}`);
    }
    if (total > entries.length) this.#session.print(`and ${total - entries.length} more\n`);
    if (total === 0) this.#session.print('no differences\n');
    if (isTruncated) this.#session.print('deeper parts were not compared\n');
  }
}
