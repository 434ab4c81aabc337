// Completes lines of the terminal: commands, kinds, and texts of the recording.
import { COMMANDS, COMMAND_SUBJECTS, NAVIGATION_KINDS } from '@turntable/time-machine/client';
import { INFO_SUBJECTS } from './info-commands.ts';
import { REQUEST_WORDS } from './request-lines.ts';
import type { ReplSession } from './session.ts';
import { quoteWord, splitWords } from './words.ts';

/** Maximum number of recorded texts that are proposed. */
const MAX_VALUES = 50;
const COMMAND_NAMES = COMMANDS.map(({ name }) => name);
const KINDS = NAVIGATION_KINDS.map(({ kind }) => kind);

/** Matches the lines of commands that take an expression. */
const EXPRESSION_LINE = /^\s*(?:print|p|whatis|display|set(?=\s+var))\s+(?:var(?:iable)?\s+)?(.*)$/s;

export class Completion {
  readonly #session: ReplSession;

  constructor(session: ReplSession) {
    this.#session = session;
  }

  /** Completions of the last word, and the part of the line that they replace. */
  async complete(line: string): Promise<[string[], string]> {
    const input = EXPRESSION_LINE.exec(line)?.[1];
    if (input !== undefined) return this.#completeExpression(input);
    const words = splitWords(line);
    const isNewWord = words.length === 0 || /\s$/.test(line);
    const last = isNewWord ? undefined : words.at(-1);
    const previous = (isNewWord ? words : words.slice(0, -1)).map(({ text }) => text);
    const prefix = last?.text ?? '';
    const all = await this.#proposals(previous, prefix);
    const typed = last === undefined ? '' : line.slice(last.offset);
    return [all.filter((each) => each.startsWith(prefix)).map((each) => `${quoteWord(each)} `), typed];
  }

  /** Completions of the word at the end of an expression. */
  async #completeExpression(expression: string): Promise<[string[], string]> {
    const { client, frame } = this.#session;
    const { names, from } = await client.request('names', { expression, frame });
    return [names.map(({ name }) => name), expression.slice(from)];
  }

  async #proposals(previous: readonly string[], prefix: string): Promise<readonly string[]> {
    const [word, ...args] = previous;
    if (word === undefined) return COMMAND_NAMES;
    const command = COMMANDS.find(({ name, letter }) => name === word || letter === word);
    if (command === undefined) return [];
    const { name, move } = command;
    if (name === 'peek') return this.#proposals(args, prefix);
    if (name === 'forward' || name === 'back') {
      const [kind] = args;
      if (kind === undefined) return KINDS;
      return args.length === 1 ? this.#valuesOf(kind, prefix) : [];
    }
    if (args.length > 0) return [];
    switch (name) {
      case 'help':
        return [...COMMAND_NAMES, ...Object.keys(COMMAND_SUBJECTS), 'kinds'];
      case 'info':
        return Object.keys(INFO_SUBJECTS);
      case 'break':
      case 'tbreak':
        return [...this.#session.hello.breakpointKinds.map(({ id }) => id), ...(await this.#files(prefix))];
      case 'list':
      case 'advance':
      case 'until':
      case 'log':
        return this.#files(prefix);
      case 'events':
        return [...new Set([...KINDS, ...this.#session.hello.eventKinds.map(({ id }) => id)])];
      case 'requests':
        return [...REQUEST_WORDS, ...(await this.#valuesOf('request', prefix))];
      case 'actors':
      case 'mailbox':
        return this.#valuesOf('actor', prefix);
      case 'goto':
        return ['start', 'end'];
      default:
        return move === undefined ? [] : this.#valuesOf(move.id, prefix);
    }
  }

  /** Beginnings of locations: the names of the recorded files. */
  async #files(prefix: string): Promise<readonly string[]> {
    if (prefix === '') return [];
    const { files } = await this.#session.client.request('sources', {});
    return [...new Set(files.map((file) => file.split('/').at(-1) ?? file))];
  }

  async #valuesOf(move: string, prefix: string): Promise<readonly string[]> {
    const parameter = this.#session.hello.moves.find(({ id }) => id === move)?.parameters[0]?.name;
    if (parameter === undefined) return [];
    const params = { move, parameter, prefix, count: MAX_VALUES };
    return (await this.#session.client.request('completions', params)).values;
  }
}
