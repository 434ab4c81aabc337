// Terminal commands for the stack, source code and values.
import {
  awaitTitle,
  moreAwaitingText,
  otherWaitersText,
  parseLocationSpec,
  type RequestOptions,
} from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { sanitizeText } from '@turntable/replayer/entry';
import type { LineArguments } from './line-arguments.ts';
import { shortPath, sourceLine, valueText, type ReplSession } from './session.ts';
import { parseNumber, parseObjectId, ReplInputError } from './words.ts';

type Frame = ResultOf<'frames'>['frames'][number];

/** Maximum number of an object's parts shown at once. */
const PAGE_SIZE = 50;
/** Number of source lines that `list` shows. */
const LIST_LINES = 10;
const NO_FRAMES = 'no stack: the task has not begun';

export class StackCommands {
  readonly #session: ReplSession;
  /** The lines that `list` showed last. */
  #listed: { readonly file: string; readonly first: number; readonly last: number } | undefined;
  #lastDisplay = 0;

  constructor(session: ReplSession) {
    this.#session = session;
  }

  /** Prints the stack. Arguments: `[COUNT|full]` */
  async backtrace(args: LineArguments, options: RequestOptions): Promise<void> {
    const [word] = args.words;
    const isFull = word === 'full' || word === '-full';
    const { frames, moreAwaiting = 0 } = await this.#session.request('frames', {}, options);
    const count = word === undefined || isFull ? frames.length : parseNumber(word.replace(/^-/, ''));
    const shown = word?.startsWith('-') === true && !isFull ? frames.slice(-count) : frames.slice(0, count);
    for (const frame of shown) {
      this.#session.printLine(this.#frameLine(frame));
      if (isFull && frame.hasLocals) this.#session.printEntries(await this.#variables(frame.index, options));
    }
    const more = frames.length - shown.length + moreAwaiting;
    if (more > 0) this.#session.print(`${moreAwaitingText(more)}\n`);
    if (frames.length === 0) this.#session.print(`${NO_FRAMES}\n`);
  }

  #frameLine(frame: Frame): string {
    const { index, function: name, location, parameters, isAwaiting } = frame;
    const callText = name === '' ? '(module)' : `${name}(${parameters.join(', ')})`;
    const functionText = isAwaiting === true ? awaitTitle(frame, callText) : callText;
    const place = location === undefined ? '' : ` at ${shortPath(location.file)}:${location.line}:${location.column}`;
    return `${index === this.#session.frame ? '*' : ' '} #${index}  ${functionText}${place}${otherWaitersText(frame)}`;
  }

  /** Selects a frame. Arguments: `[NUMBER]` */
  async frame(args: LineArguments, options: RequestOptions): Promise<void> {
    const [word] = args.words;
    if (word !== undefined && !/^\d{1,6}$/.test(word))
      throw new ReplInputError(`"${word}" is not the number of a frame`);
    await this.#select(word === undefined ? this.#session.frame : Number(word), options);
  }

  /** Selects an outer (1) or inner (-1) frame. Arguments: `[COUNT]` */
  async up(args: LineArguments, step: 1 | -1, options: RequestOptions): Promise<void> {
    const count = args.text === '' ? 1 : parseNumber(args.text);
    const frames = await this.#frames(options);
    const { frame } = this.#session;
    if (step === 1 && frame >= frames.length - 1) throw new ReplInputError('this is the outermost frame');
    if (step === -1 && frame === 0) throw new ReplInputError('this is the innermost frame');
    await this.#select(Math.max(0, Math.min(frame + step * count, frames.length - 1)), options);
  }

  async #select(index: number, options: RequestOptions): Promise<void> {
    const frames = await this.#frames(options);
    const frame = frames[index];
    if (frame === undefined)
      throw new ReplInputError(frames.length === 0 ? NO_FRAMES : `there is no frame ${index}; see bt`);
    this.#session.frame = index;
    this.#listed = undefined;
    this.#session.printLine(this.#frameLine(frame));
    if (frame.location === undefined) return;
    const text = (await this.#session.sourceLines(frame.location.file))[frame.location.line - 1];
    if (text !== undefined) this.#session.printLine(sourceLine(frame.location.line, text));
  }

  async #frames(options: RequestOptions): Promise<readonly Frame[]> {
    return (await this.#session.request('frames', {}, options)).frames;
  }

  async #selectedFrame(options: RequestOptions): Promise<Frame | undefined> {
    return (await this.#frames(options))[this.#session.frame];
  }

  /** Prints source lines. Arguments: `[LOCATION|FIRST,LAST|-]` */
  async list(args: LineArguments, options: RequestOptions): Promise<void> {
    const { text } = args;
    const current = await this.#currentPlace(options);
    const previous = this.#listed;
    if (text === '-' && previous !== undefined) {
      await this.#printLines(previous.file, previous.first - LIST_LINES, previous.first - 1, current);
      return;
    }
    if (text === '' && previous !== undefined) {
      const { length } = await this.#session.sourceLines(previous.file);
      if (previous.last >= length) return this.#session.printLine(`end of ${shortPath(previous.file)}`);
      await this.#printLines(previous.file, previous.last + 1, previous.last + LIST_LINES, current);
      return;
    }
    const [, first, plus, last] = /^(\d{1,9})\s*,\s*(\+?)(\d{1,9})$/.exec(text) ?? [];
    if (first !== undefined && last !== undefined) {
      const end = plus === '+' ? Number(first) + Number(last) : Number(last);
      await this.#printLines(fileOf(current), Number(first), end, current);
      return;
    }
    const { file, line } =
      text === '' || text === '-' ? this.#placeOf(current) : await this.#placeNamed(text, current, options);
    const start = Math.max(1, line - LIST_LINES / 2);
    await this.#printLines(file, start, start + LIST_LINES - 1, current);
  }

  #placeOf(current: Place | undefined): Place {
    if (current === undefined) throw new ReplInputError('there is no current file; use: list FILE:LINE');
    return current;
  }

  async #placeNamed(text: string, current: Place | undefined, options: RequestOptions): Promise<Place> {
    const location = parseLocationSpec(text);
    if (location === undefined) throw new ReplInputError(`"${text}" must be LINE, FILE:LINE, FUNCTION or Class.method`);
    if ('function' in location) {
      const { locations } = await this.#session.request('locations', { function: location.function }, options);
      const [found] = locations;
      if (found === undefined) throw new ReplInputError(`the recorded code has no function ${text}`);
      return found;
    }
    if (location.file === undefined) return { file: fileOf(current), line: location.line };
    const { file: end, line } = location;
    const { files } = await this.#session.request('sources', {}, options);
    const file = files.find((each) => each === end || each.endsWith(`/${end}`));
    if (file === undefined) throw new ReplInputError(`the recording has no file ${end}`);
    return { file, line };
  }

  async #printLines(file: string, first: number, last: number, current: Place | undefined): Promise<void> {
    const lines = await this.#session.sourceLines(file);
    if (lines.length === 0) throw new ReplInputError(`the text of ${shortPath(file)} is not recorded`);
    const [from, to] = [Math.max(1, first), Math.min(last, lines.length)];
    if (from > to) throw new ReplInputError(`${shortPath(file)} has ${lines.length} lines`);
    for (let line = from; line <= to; line++)
      this.#session.printLine(sourceLine(line, lines[line - 1] ?? '', current?.file === file && current.line === line));
    this.#listed = { file, first: from, last: to };
  }

  /** Forgets which lines `list` showed, so that it shows those around the new position. */
  positionChanged(): void {
    this.#listed = undefined;
  }

  /** The place of the selected frame. */
  async #currentPlace(options: RequestOptions): Promise<Place | undefined> {
    const { cursor, frame } = this.#session;
    const place = frame === 0 ? cursor.statement : (await this.#selectedFrame(options))?.location;
    if (place !== undefined) return place;
    const file = await this.#session.entryFile(options);
    return file === undefined ? undefined : { file, line: 0 };
  }

  async print(text: string, options: RequestOptions): Promise<void> {
    if (text === '') throw new ReplInputError('print needs an expression');
    const expression = this.#expressionOf(text);
    const { frame } = this.#session;
    const { value, error, output, isPure } = await this.#session.request('evaluate', { expression, frame }, options);
    if (output !== undefined) this.#session.print(output.endsWith('\n') ? output : `${output}\n`);
    if (error !== undefined) throw new ReplInputError(error);
    this.#session.variables.addPrinted(value);
    this.#session.print(`${value === undefined ? 'undefined' : valueText(value)}\n`);
    if (!isPure) this.#session.print('(changes are undone at the next move)\n');
  }

  /** The expression of a text in which `$` names kept values, and in which `*`, as in `*this`, means nothing. */
  #expressionOf(text: string): string {
    return this.#session.variables.substitute(text.replace(/^[*&]+(?=[\w$])/, ''));
  }

  /** Keeps a value as `$NAME`, or changes a variable. Arguments: `[var] NAME = EXPR` */
  async set(text: string, options: RequestOptions): Promise<void> {
    const assignment = text.replace(/^var(?:iable)?\s+/, '');
    const [, name, kept] = /^\$(\w+)\s*=(?!=)\s*(.+)$/.exec(assignment) ?? [];
    if (name !== undefined && kept !== undefined) {
      const params = { expression: this.#expressionOf(kept), frame: this.#session.frame };
      const { value, error } = await this.#session.request('evaluate', params, options);
      if (error !== undefined) throw new ReplInputError(error);
      this.#session.variables.set(name, value);
      return;
    }
    if (!/^[\w$.#[\]'"]+\s*=(?!=)/.test(assignment))
      throw new ReplInputError('there are no settings; to change a variable, use: set var NAME = EXPR');
    await this.print(assignment, options);
  }

  /** Prints the type of a value. */
  async whatis(expression: string, options: RequestOptions): Promise<void> {
    if (expression === '') throw new ReplInputError('whatis needs an expression');
    const { frame } = this.#session;
    const { value, error } = await this.#session.request('evaluate', { expression, frame }, options);
    if (error !== undefined) throw new ReplInputError(error);
    this.#session.printLine(`type = ${value?.class ?? value?.kind ?? 'undefined'}`);
  }

  /** Adds an expression that each stop prints; without one, prints all. */
  async display(expression: string, options: RequestOptions): Promise<void> {
    if (expression === '') return this.showDisplays(options);
    this.#session.displays.set(++this.#lastDisplay, expression);
    await this.#showDisplay(this.#lastDisplay, expression, options);
  }

  /** Removes expressions of `display`. Arguments: `[NUMBER…]` */
  undisplay(args: LineArguments): void {
    const { displays } = this.#session;
    const numbers = args.words.length === 0 ? [...displays.keys()] : args.words.map((word) => parseNumber(word));
    for (const number of numbers)
      if (!displays.delete(number)) throw new ReplInputError(`there is no display ${number}; see info display`);
  }

  /** Prints the expressions of `display` at a stop. */
  async showDisplays(options: RequestOptions): Promise<void> {
    for (const [number, expression] of this.#session.displays) await this.#showDisplay(number, expression, options);
  }

  async #showDisplay(number: number, expression: string, options: RequestOptions): Promise<void> {
    const { frame } = this.#session;
    const params = { expression: this.#expressionOf(expression), effects: 'none', frame } as const;
    const { value, error } = await this.#session.request('evaluate', params, options);
    const text = error === undefined ? (value === undefined ? 'undefined' : valueText(value)) : sanitizeText(error);
    this.#session.print(`${number}: ${sanitizeText(expression)} = ${text}\n`);
  }

  async locals(options: RequestOptions): Promise<void> {
    const entries = await this.#variables(this.#session.frame, options);
    this.#session.printEntries(entries);
    if (entries.length === 0) this.#session.print('no variables\n');
  }

  /** Prints the parameters of the selected frame's function. */
  async parameters(options: RequestOptions): Promise<void> {
    const names = (await this.#selectedFrame(options))?.parameters ?? [];
    const entries = await this.#variables(this.#session.frame, options);
    const found = entries.filter(({ name }) => names.includes(name));
    this.#session.printEntries(found);
    if (found.length === 0) this.#session.print('no arguments\n');
  }

  async #variables(frame: number, options: RequestOptions): Promise<ResultOf<'variables'>['entries']> {
    return (await this.#session.request('variables', { frame }, options)).entries;
  }

  async expand(args: LineArguments, options: RequestOptions): Promise<void> {
    const id = parseObjectId(args.text);
    const { entries, total } = await this.#session.request('expand', { id, count: PAGE_SIZE }, options);
    this.#session.printEntries(entries);
    if (total > entries.length) this.#session.print(`and ${total - entries.length} more\n`);
    if (total === 0) this.#session.print('no parts\n');
  }
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function fileOf(place: Place | undefined): string {
  if (place === undefined) throw new ReplInputError('there is no current file; give FILE:LINE');
  return place.file;
}
