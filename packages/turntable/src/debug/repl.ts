// Terminal client of the debug server. The server has the moves; this file parses lines and formats results. Lines run
// one after the other.
import { RequestError, type Client, type RequestOptions, type Wire } from '@turntable/time-machine/client';
import type {
  MoveResult,
  MethodName,
  ParamsOf,
  ResultOf,
  MoveInfo,
  CursorInfo,
} from '@turntable/time-machine/protocol';
import { sanitizeText, taskLines } from '@turntable/replayer/replay';
import { formatCount } from '@turntable/replayer/entry';
import { findText } from './find-text.ts';
import { ALIASES, breakHelp, helpText, moveHelp, overviewText, REPL_COMMANDS } from './help.ts';
import { InspectionCommands } from './inspection-commands.ts';
import { printPromises } from './promise-lines.ts';
import { REQUEST_WORDS, requestLine, parseRequestFilter } from './request-lines.ts';
import { quoteWord, resolveAbbreviation, ReplInputError, parseNumber, parseObjectId, splitWords } from './words.ts';

type HelloResult = ResultOf<'hello'>;
type EventKind = ParamsOf<'events'>['kinds'][number];
/** Default number of lines shown at once. */
const PAGE_SIZE = 10;
const MAX_CHANGES = 200;

interface MoveParams {
  readonly move: string;
  readonly direction?: 'forward' | 'backward' | undefined;
  readonly arguments: Record<string, string>;
}

export class Repl {
  readonly #client: Client;
  #hello: HelloResult;
  readonly #connect: (() => Promise<Wire>) | undefined;
  readonly #print: (text: string) => void;
  #cursor: CursorInfo;
  /** First task of the next page of `list`. */
  #nextListed: number | undefined;
  readonly #inspection: InspectionCommands;
  #shownTask: number | undefined;
  hasFailed = false;
  /** Settles when a reconnection that another client has caused is over. */
  #reconnecting: Promise<void> = Promise.resolve();
  /** Called with the reason when the connection to the server is lost for good. */
  onEnd: (reason: string) => void = () => {};

  /** @param connect opens a new connection to a running program's recording */
  constructor(client: Client, hello: HelloResult, print: (text: string) => void, connect?: () => Promise<Wire>) {
    this.#client = client;
    this.#hello = hello;
    this.#connect = connect;
    this.#print = print;
    this.#cursor = hello.cursor;
    this.#inspection = new InspectionCommands(client, print);
    client.onMoved = ({ client: clientId, cursor }) => {
      this.#setPosition(cursor);
      this.#print(`client ${clientId} moved to ${cursor.position}\n`);
    };
    client.onClose = (reason) => this.#onClosed(reason);
  }

  #onClosed(reason: string): void {
    if (this.#connect === undefined || this.#hello.recording.until === undefined) this.onEnd(reason);
    else this.#reconnecting = this.#reconnect().catch((error: unknown) => this.onEnd((error as Error).message));
  }

  /** Connects to the refreshed recording of a running program, and shows its end. */
  async #reconnect(): Promise<void> {
    if (this.#connect === undefined) return;
    this.#client.reconnect(await this.#connect());
    this.#hello = await this.#client.hello('terminal');
    this.#setPosition(this.#hello.cursor);
    this.#shownTask = undefined;
    await this.start();
  }

  end(): void {
    this.#client.onClose = () => {};
  }

  async start(): Promise<void> {
    this.#print(overviewText(this.#hello));
    await this.#show(this.#cursor);
  }

  get position(): string {
    return this.#cursor.position;
  }

  /** Runs a line. Resolves with whether another line should be read. */
  async run(line: string, options: RequestOptions): Promise<boolean> {
    await this.#reconnecting;
    try {
      const words = splitWords(line);
      const argumentText = line.slice(words[1]?.offset ?? line.length).trim();
      return await this.#execute(
        words.map(({ text }) => text),
        argumentText,
        options,
      );
    } catch (error) {
      if (!(error instanceof ReplInputError || error instanceof RequestError)) throw error;
      this.hasFailed = true;
      this.#print(`${sanitizeText(error.message)}\n`);
      return true;
    }
  }

  /** @param argumentText the line after its first word */
  async #execute(words: readonly string[], argumentText: string, options: RequestOptions): Promise<boolean> {
    const [first, ...others] = this.#expandAlias(words);
    if (first === undefined) return true;
    const byLetter = REPL_COMMANDS.find(({ letter }) => letter === first);
    const name = byLetter?.name ?? this.#commandOf(first);
    if (name === undefined) {
      await this.#move(this.#parsePositionMove(first, others), options);
      return true;
    }
    if (name === 'quit') return false;
    await this.#dispatch([name, ...others], argumentText, options);
    return true;
  }

  async #dispatch(
    [name = '', ...others]: readonly string[],
    argumentText: string,
    options: RequestOptions,
  ): Promise<void> {
    switch (name) {
      case 'help':
        return this.#help(others);
      case 'now':
        return this.#now(options);
      case 'where':
        this.#setPosition(await this.#request('cursor', {}, options));
        this.#shownTask = undefined;
        return this.#show(this.#cursor);
      case 'list':
        return this.#list(others, options);
      case 'received':
        return this.#received(options);
      case 'actors':
        return this.#actors(others, options);
      case 'marks':
        return this.#events(others, options);
      case 'requests':
        return this.#requests(others, options);
      case 'history':
        return this.#history(others, options);
      case 'population':
        return this.#inspection.population(options);
      case 'promises':
        return printPromises(this.#client, this.#print, others.join(' '), options);
      case 'find':
        return findText(
          this.#client,
          this.#print,
          { text: argumentText, from: this.#cursor.order, startTime: this.#hello.startTime },
          options,
        );
      case 'mailbox':
        return this.#inspection.mailbox(others.join(' '), options);
      case 'difference':
        return this.#inspection.difference(others, options);
      case 'changes':
        return this.#changes(argumentText, options);
      case 'print':
        return this.#inspection.print(argumentText, options);
      case 'variables':
        return this.#inspection.variables(argumentText, options);
      case 'expand':
        return this.#inspection.expand(parseObjectId(argumentText), options);
      case 'frames':
        return this.#inspection.frames(options);
      case 'break':
        return this.#inspection.break(argumentText, options);
      case 'log':
        return this.#inspection.log(argumentText, this.#cursor.order, options);
      case 'unbreak':
        return this.#inspection.unbreak(parseNumber(argumentText), options);
      case 'peek':
        return this.#peek(others, argumentText, options);
      default:
        return this.#move(this.#parseMove([name, ...others], argumentText), options);
    }
  }

  /** Replaces a name that other debuggers use by the name of the command or move. */
  #expandAlias([first = '', ...others]: readonly string[]): readonly string[] {
    const expansion = (Object.hasOwn(ALIASES, first) ? ALIASES[first] : undefined)?.split(' ') ?? [];
    if (first === '') return [];
    return [
      ...(expansion.length > 0 && expansion.every((each) => this.#names().includes(each)) ? expansion : [first]),
      ...others,
    ];
  }

  /** The command or move that a word abbreviates; undefined if the word may be a position. */
  #commandOf(word: string): string | undefined {
    const found = resolveAbbreviation(word, this.#names());
    if (typeof found === 'string') return found;
    if (found.length > 0) throw new ReplInputError(`"${word}" could be ${found.join(', ')}`);
    if (/^[\d+]/.test(word)) return undefined;
    throw new ReplInputError(`there is no command "${word}"; see help`);
  }

  #names(): string[] {
    return [...REPL_COMMANDS.map(({ name }) => name), ...this.#hello.moves.map(({ id }) => id)];
  }

  /** Parses a move to a position, percentage or time. */
  #parsePositionMove(word: string, others: readonly string[]): MoveParams {
    const kind = word.endsWith('%') ? 'percentage' : word.startsWith('+') ? 'time' : 'position';
    const move = this.#hello.moves.find(({ parameters }) => parameters.length === 1 && parameters[0]?.kind === kind);
    const name = move?.parameters[0]?.name;
    if (move === undefined || name === undefined || others.length > 0)
      throw new ReplInputError(`"${[word, ...others].join(' ')}" is not a position; see help`);
    return { move: move.id, arguments: { [name]: word } };
  }

  /** Parses `[next|back] [MOVE [ARGUMENT…]]`. @param argumentText the line after the first word */
  #parseMove(words: readonly string[], argumentText: string): MoveParams {
    const [first = ''] = words;
    const direction = first === 'next' ? 'forward' : first === 'back' ? 'backward' : undefined;
    const [name, ...args] = direction === undefined ? words : words.slice(1);
    const directedMoves = this.#hello.moves.filter(({ directions }) => directions.length > 0);
    const candidates = direction === undefined ? this.#hello.moves : directedMoves;
    const move = name === undefined ? directedMoves[0] : this.#findMove(name, candidates);
    if (move === undefined) throw new ReplInputError('there are no moves');
    const { parameters } = move;
    const [onlyParameter] = parameters;
    // An expression takes the rest of the line.
    if (onlyParameter?.kind === 'expression' && parameters.length === 1 && args.length > 0)
      return {
        move: move.id,
        direction,
        arguments: { [onlyParameter.name]: direction === undefined ? argumentText : withoutFirstWord(argumentText) },
      };
    if (args.length > parameters.length)
      throw new ReplInputError(
        `${move.id} takes ${parameters.length === 0 ? 'nothing' : parameters.map((each) => each.name).join(', ')}, not "${args.join(' ')}"`,
      );
    const namedArguments = parameters.flatMap(({ name }, i) =>
      args[i] === undefined ? [] : [[name, args[i]] as const],
    );
    return { move: move.id, direction, arguments: Object.fromEntries(namedArguments) };
  }

  #findMove(name: string, candidates: readonly MoveInfo[]): MoveInfo {
    const found = resolveAbbreviation(
      name,
      candidates.map(({ id }) => id),
    );
    const move = candidates.find(({ id }) => id === found);
    if (move !== undefined) return move;
    const matches = typeof found === 'string' ? [] : found;
    if (matches.length > 0) throw new ReplInputError(`"${name}" could be ${matches.join(', ')}`);
    throw new ReplInputError(`there is no move "${name}" here; there are ${candidates.map(({ id }) => id).join(', ')}`);
  }

  async #move(params: MoveParams, options: RequestOptions): Promise<void> {
    const result = await this.#request('move', params, options);
    this.#setPosition(result.cursor);
    await this.#showResult(result);
  }

  /** Refreshes the recording and reconnects. Breakpoints are set again. */
  async #now(options: RequestOptions): Promise<void> {
    const { breakpoints } = this.#hello.canStep ? await this.#request('breakpoints', {}, options) : { breakpoints: [] };
    let closeReason: string | undefined;
    this.#client.onClose = (reason) => void (closeReason = reason);
    try {
      await this.#request('refresh', {}, options);
      await this.#reconnect();
      for (const { id: _, ...each } of breakpoints) await this.#request('addBreakpoint', each, options);
    } finally {
      this.#client.onClose = (reason) => this.#onClosed(reason);
      if (closeReason !== undefined) this.#onClosed(closeReason);
    }
  }

  async #peek(words: readonly string[], argumentText: string, options: RequestOptions): Promise<void> {
    const [first] = words;
    if (first === undefined) throw new ReplInputError('peek needs a move, as in: peek next turn');
    const isPosition = /^[\d+]/.test(first);
    const command = REPL_COMMANDS.find(({ letter }) => letter === first)?.name ?? first;
    const params = isPosition
      ? this.#parsePositionMove(first, words.slice(1))
      : this.#parseMove([command, ...words.slice(1)], withoutFirstWord(argumentText));
    this.#shownTask = undefined;
    await this.#showResult(await this.#request('find', params, options));
    this.#shownTask = undefined;
  }

  /** Lists tasks. Arguments: `[FROM] [COUNT]` */
  async #list(words: readonly string[], options: RequestOptions): Promise<void> {
    const [from = this.#nextListed ?? this.#cursor.order, count = PAGE_SIZE] = words.map((word) => parseNumber(word));
    const { tasks, next } = await this.#request('tasks', { from, count }, options);
    for (const each of tasks) this.#printTask(each);
    this.#nextListed = next;
    if (tasks.length === 0) this.#print('there are no more tasks\n');
  }

  async #received(options: RequestOptions): Promise<void> {
    const { order, task } = this.#cursor;
    if (task === undefined) {
      this.#print('there is no task at the end of the recording\n');
      return;
    }
    const { tasks, total } = await this.#request('receivers', { task: order, count: PAGE_SIZE }, options);
    for (const each of tasks) this.#printTask(each);
    if (total > tasks.length) this.#print(`and ${total - tasks.length} more\n`);
    if (total === 0) this.#print('no recorded task handles a message of this task\n');
  }

  /** Lists the senders of the current task. Arguments: `[COUNT]` */
  async #history([count]: readonly string[], options: RequestOptions): Promise<void> {
    const params = { count: count === undefined ? PAGE_SIZE : parseNumber(count) };
    const { tasks, reason } = await this.#request('history', params, options);
    for (const { task, sentAt, statement } of tasks) {
      this.#printTask(task);
      if (sentAt !== undefined) this.#print(`          sent at ${sentAt}\n`);
      if (statement !== undefined) await this.#inspection.statement(statement);
    }
    this.#shownTask = undefined;
    this.#print(`${sanitizeText(reason ?? 'there are more; give a larger COUNT')}\n`);
  }

  async #changes(text: string, options: RequestOptions): Promise<void> {
    if (text === '') throw new ReplInputError('changes needs an expression');
    const { changes, next } = await this.#request('changes', { expression: text, count: MAX_CHANGES }, options);
    for (const { task, before, after } of changes) {
      this.#printTask(task);
      this.#print(`          ${sanitizeText(before)} -> ${sanitizeText(after)}\n`);
    }
    this.#shownTask = undefined;
    if (changes.length === 0) {
      const { error } = await this.#request('evaluate', { expression: text, effects: 'none' }, options);
      this.#print(`it never changes${error === undefined ? '' : `: ${sanitizeText(error)}`}\n`);
    }
    if (next !== undefined) this.#print(`there may be more from ${next} on\n`);
  }

  async #actors([actor]: readonly string[], options: RequestOptions): Promise<void> {
    const { actors, total } = await this.#request('actors', { actor, count: 100 }, options);
    for (const { worker, name, taskCount, firstTask, lastTask, creation } of actors) {
      const creationText = creation === undefined ? '' : `, made at ${creation}`;
      this.#print(
        `  ${sanitizeText(name).padEnd(24)}  worker ${worker}, ${formatCount(taskCount, 'task')} from ${firstTask} to ${lastTask}${creationText}\n`,
      );
    }
    if (total > actors.length) this.#print(`and ${total - actors.length} more\n`);
    if (total === 0) this.#print('no actor has this name\n');
  }

  async #events(words: readonly string[], options: RequestOptions): Promise<void> {
    const [word, matching, ...more] = words;
    const kind = this.#hello.eventKinds.find(({ id }) => id === word)?.id as EventKind | undefined;
    if (kind === undefined || more.length > 0) {
      const knownKinds = this.#hello.eventKinds.map(({ id }) => id).join(', ');
      throw new ReplInputError(`marks needs one of ${knownKinds}, optionally with a pattern for the text`);
    }
    const params = { kinds: [kind], matching, from: this.#cursor.order, count: 100 };
    const { events, next } = await this.#request('events', params, options);
    for (const { position, time, value, text = value } of events) {
      const seconds = ((time - this.#hello.startTime) / 1000).toFixed(3);
      this.#print(`  ${position.padEnd(10)}  +${seconds}s  ${sanitizeText(String(text).split('\n', 1)[0] ?? '')}\n`);
    }
    if (events.length === 0) this.#print('there are none from here on\n');
    if (next !== undefined) this.#print(`there are more from ${next} on\n`);
  }

  async #requests(words: readonly string[], options: RequestOptions): Promise<void> {
    const { requests, total } = await this.#request('requests', parseRequestFilter(words, 100), options);
    for (const each of requests) this.#print(requestLine(each, this.#hello.startTime));
    if (total > requests.length) this.#print(`and ${total - requests.length} more\n`);
    if (total === 0) this.#print('there is no such request\n');
  }

  #help([word]: readonly string[]): void {
    if (word === undefined) {
      this.#print(helpText(this.#hello));
      return;
    }
    const byLetter = REPL_COMMANDS.find(({ letter }) => letter === word);
    const name = byLetter?.name ?? this.#commandOf(word);
    const command = REPL_COMMANDS.find((each) => each.name === name);
    const move = this.#hello.moves.find(({ id }) => id === name);
    if (command !== undefined) this.#print(`${command.usage}\n  ${command.description}\n`);
    if (command?.name === 'break') this.#print(breakHelp(this.#hello.breakpointKinds));
    if (command !== undefined) return;
    if (move !== undefined) this.#print(moveHelp(move));
    else this.#print('a position, percentage or time alone moves there\n');
  }

  #request<M extends MethodName>(method: M, params: ParamsOf<M>, options: RequestOptions): Promise<ResultOf<M>> {
    return this.#client.request(method, params, options);
  }

  #setPosition(cursor: CursorInfo): void {
    this.#cursor = cursor;
    this.#nextListed = undefined;
  }

  async #showResult({ found, reason, note, cursor }: MoveResult): Promise<void> {
    if (note !== undefined) this.#print(`${sanitizeText(note)}\n`);
    if (found) await this.#show(cursor);
    else this.#print(`${sanitizeText(reason ?? 'there is no such position')}\n`);
  }

  async #show({ position, task, statement }: CursorInfo): Promise<void> {
    if (task === undefined) this.#print(`${position}, the end\n`);
    // A task is printed only once while the position stays in it.
    else if (statement === undefined || task.order !== this.#shownTask) this.#printTask(task);
    this.#shownTask = task?.order;
    if (statement !== undefined) await this.#inspection.statement(statement);
  }

  #printTask(task: NonNullable<CursorInfo['task']>): void {
    for (const line of taskLines(task, this.#hello.startTime)) this.#print(line);
  }

  /** Completions of the last word, and the part of the line that they replace. */
  async completionsOf(line: string): Promise<[string[], string]> {
    const words = splitWords(line);
    const isNewWord = words.length === 0 || /\s$/.test(line);
    const last = isNewWord ? undefined : words.at(-1);
    const previous = (isNewWord ? words : words.slice(0, -1)).map(({ text }) => text);
    const prefix = last?.text ?? '';
    const all = await this.#proposals(previous, prefix);
    const typed = last === undefined ? '' : line.slice(last.offset);
    return [all.filter((each) => each.startsWith(prefix)).map((each) => `${quoteWord(each)} `), typed];
  }

  async #proposals(previous: readonly string[], prefix: string): Promise<readonly string[]> {
    const pending = [...previous];
    if (pending.length === 0) return this.#names();
    const [first] = pending;
    if (first === 'help') return pending.length === 1 ? this.#names() : [];
    if (first === 'marks') return pending.length === 1 ? this.#hello.eventKinds.map(({ id }) => id) : [];
    if (first === 'break') return pending.length === 1 ? this.#hello.breakpointKinds.map(({ id }) => id) : [];
    if (first === 'requests')
      return pending.length === 1 ? [...REQUEST_WORDS, ...(await this.#requestProposals(prefix))] : [];
    const isPeek = first === 'peek' || first === 'k';
    if (isPeek) pending.shift();
    const isDirected = ['next', 'back', 'n', 'b'].includes(pending[0] ?? '');
    if (isDirected) pending.shift();
    const { moves } = this.#hello;
    const ids = moves.filter(({ directions }) => !isDirected || directions.length > 0).map(({ id }) => id);
    if (pending.length === 0) return isPeek && !isDirected ? ['next', 'back', ...ids] : ids;
    const move = moves.find(({ id }) => id === pending[0]);
    const parameter = move?.parameters[pending.length - 1];
    if (move === undefined || parameter === undefined) return [];
    return this.#valuesOf(move, parameter.name, prefix);
  }

  async #requestProposals(prefix: string): Promise<readonly string[]> {
    const move = this.#hello.moves.find(({ id }) => id === 'request');
    const [parameter] = move?.parameters ?? [];
    return move === undefined || parameter === undefined ? [] : this.#valuesOf(move, parameter.name, prefix);
  }

  async #valuesOf({ id }: MoveInfo, parameter: string, prefix: string): Promise<readonly string[]> {
    const { values } = await this.#client.request('completions', { move: id, parameter, prefix, count: 50 });
    return values;
  }
}

function withoutFirstWord(text: string): string {
  return text.replace(/^\S+\s*/, '');
}
