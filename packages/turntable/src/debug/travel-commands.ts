// Terminal commands that move: steps, `forward` and `back`, messages, `goto` and bookmarks.
import { NAVIGATION_KINDS, type DebuggerCommand, type RequestOptions } from '@turntable/time-machine/client';
import type { MoveInfo, ParamsOf } from '@turntable/time-machine/protocol';
import { isExceptionKind, resolveCommand } from './command-names.ts';
import { LineArguments } from './line-arguments.ts';
import type { ReplSession } from './session.ts';
import { parseNumber, ReplInputError, resolveAbbreviation } from './words.ts';

type MoveParams = ParamsOf<'move'>;

export class TravelCommands {
  readonly #session: ReplSession;

  constructor(session: ReplSession) {
    this.#session = session;
  }

  /** Makes the move of a command. */
  async move(command: DebuggerCommand, args: LineArguments, options: RequestOptions): Promise<void> {
    await this.#go(await this.#paramsOf(command, args, options), options);
  }

  /** Shows the target of a command's move. */
  async peek(args: LineArguments, options: RequestOptions): Promise<void> {
    const [word] = args.words;
    if (word === undefined) throw new ReplInputError('peek needs a command; for example: peek back exception');
    const params = await this.#paramsOf(resolveCommand(word), new LineArguments(args.after(1)), options);
    this.#session.forgetShownTask();
    await this.#session.showResult(await this.#session.request('find', params, options), options);
    this.#session.forgetShownTask();
  }

  async restart(args: LineArguments, options: RequestOptions): Promise<void> {
    const id = parseNumber(args.text);
    const { bookmarks } = await this.#session.request('bookmarks', {}, options);
    const bookmark = bookmarks.find((each) => each.id === id);
    if (bookmark === undefined) throw new ReplInputError(`there is no bookmark ${id}; see bookmarks`);
    await this.#go({ move: 'goto', arguments: { target: bookmark.position } }, options);
  }

  async bookmark(args: LineArguments, options: RequestOptions): Promise<void> {
    const { position } = this.#session.cursor;
    const { id, note } = await this.#session.request('setBookmark', { position, note: args.text }, options);
    this.#session.printLine(`bookmark ${id}: ${position}${note === '' ? '' : `  ${note}`}`);
  }

  async bookmarks(options: RequestOptions): Promise<void> {
    const { bookmarks } = await this.#session.request('bookmarks', {}, options);
    for (const { id, position, note, task } of bookmarks)
      this.#session.printLine(`bookmark ${id}: ${position}  ${note === '' ? (task?.title ?? '') : note}`.trimEnd());
    if (bookmarks.length === 0) this.#session.print('no bookmarks\n');
  }

  async #go(params: MoveParams, options: RequestOptions): Promise<void> {
    const result = await this.#session.request('move', params, options);
    if (result.found) {
      this.#session.cursor = result.cursor;
      this.#session.stops = result.breakpoints ?? [];
    }
    await this.#session.showResult(result, options);
  }

  async #paramsOf(command: DebuggerCommand, args: LineArguments, options: RequestOptions): Promise<MoveParams> {
    const { name, move } = command;
    if (name === 'forward' || name === 'back') return this.#eventParams(name, args);
    if (move === undefined) throw new ReplInputError(`${name} does not move`);
    const known = this.#moveOf(move.id);
    if (known === undefined)
      throw new ReplInputError(`${name} needs a recording that can be replayed statement by statement`);
    const base = { move: move.id, direction: move.direction, ...(move.arguments && { arguments: move.arguments }) };
    const usage = `${name} ${command.arguments ?? ''}`.trim();
    if (command.arguments === '[COUNT]') {
      args.expectAtMost(1, usage);
      return args.text === '' ? base : { ...base, count: parseNumber(args.text) };
    }
    const [parameter] = move.arguments === undefined ? known.parameters : [];
    if (parameter === undefined) {
      args.expectAtMost(0, usage);
      return base;
    }
    const text = args.textAfter(0);
    if (text === undefined) {
      if (parameter.defaultDescription === undefined)
        throw new ReplInputError(`${name} needs an argument; usage: ${usage}`);
      return base;
    }
    const frame = parameter.kind === 'target' ? /^frame(?:\s+(\d{1,6}))?$/.exec(text) : null;
    const argument = await (frame === null
      ? this.#inSelectedFrame(parameter.kind, text, options)
      : this.#positionOfFrame(Number(frame[1] ?? this.#session.frame), options));
    return { ...base, arguments: { [parameter.name]: argument } };
  }

  async #positionOfFrame(frame: number, options: RequestOptions): Promise<string> {
    const { position, reason } = await this.#session.request('framePosition', { frame }, options);
    if (position === undefined) throw new ReplInputError(`frame ${frame} has no position: ${reason}`);
    return position;
  }

  /** Completes a location that is only a line with the file of the selected frame. */
  async #inSelectedFrame(kind: string, text: string, options: RequestOptions): Promise<string> {
    const { frame } = this.#session;
    if (kind !== 'location' || frame === 0 || !/^\d+$/.test(text)) return text;
    const { frames } = await this.#session.request('frames', {}, options);
    const { location } = frames[frame] ?? {};
    return location === undefined ? text : `${location.file}:${text}`;
  }

  #eventParams(name: 'forward' | 'back', args: LineArguments): MoveParams {
    const [word = '', ...others] = args.words;
    const kinds = NAVIGATION_KINDS.map(({ kind }) => kind);
    const found = resolveAbbreviation(word, kinds);
    const isNarrowed = found === 'exception' && isExceptionKind(others[0]);
    const kind = isNarrowed ? (others[0] as string) : found;
    const move = typeof kind === 'string' ? this.#moveOf(kind) : undefined;
    if (move === undefined) throw new ReplInputError(kindProblem(name, word, typeof kind === 'string' ? [] : kind));
    const text = args.textAfter(isNarrowed ? 2 : 1);
    const [parameter] = move.parameters;
    if (text !== undefined && parameter === undefined) throw new ReplInputError(`${name} ${move.id} takes no text`);
    return {
      move: move.id,
      direction: name === 'forward' ? 'forward' : 'backward',
      ...(text !== undefined && parameter !== undefined && { arguments: { [parameter.name]: text } }),
    };
  }

  #moveOf(id: string): MoveInfo | undefined {
    return this.#session.hello.moves.find((each) => each.id === id);
  }
}

function kindProblem(name: string, word: string, matches: readonly string[]): string {
  if (matches.length > 0 && word !== '') return `"${word}" is ambiguous: ${matches.join(', ')}`;
  const problem = word === '' ? `${name} needs a KIND` : `there is no kind "${word}"`;
  const kinds = NAVIGATION_KINDS.map(({ kind }) => kind).join(', ');
  const hint = name === 'back' ? '; to go back one statement, use: reverse-next' : '';
  return `${problem}: ${kinds}${hint}`;
}
