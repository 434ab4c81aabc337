// The time machine in a terminal, line by line: a client of the protocol and nothing more. Of moves it knows what the server says of them; what it has of its own is how a line is read and how
// answers look. Each line is run to its end before the next one; lines come from wherever somebody writes them.
import { RequestError, type Client, type RequestOptions, type Wire } from '@turntable/time-machine/client';
import type { Landed, MethodName, ParamsOf, ResultOf, ToldMove, Where } from '@turntable/time-machine/protocol';
import { shown, stretchLines } from '@turntable/replayer/replay';
import { counted } from '@turntable/replayer/entry';
import { findText } from './find-text.ts';
import { ALIASES, breakHelp, helpText, moveHelp, overview, OWN_COMMANDS } from './help.ts';
import { Looking } from './looking.ts';
import { showPromises } from './pending.ts';
import { REQUEST_WORDS, requestLine, requestsWanted } from './request-lines.ts';
import { asWord, meant, Misunderstood, numberIn, objectIn, wordsOf } from './words.ts';

type Hello = ResultOf<'hello'>;
type ToldMarkKind = ParamsOf<'marks'>['kinds'][number];
/** Lines that are shown at once. */
const PAGE = 10;
const MANY = 200;

interface Wanted {
  readonly move: string;
  readonly direction?: 'forward' | 'backward' | undefined;
  readonly arguments: Record<string, string>;
}

export class Repl {
  readonly #client: Client;
  #hello: Hello;
  readonly #connect: (() => Promise<Wire>) | undefined;
  readonly #print: (text: string) => void;
  #where: Where;
  /** Where `list` goes on. */
  #nextListed: number | undefined;
  readonly #looking: Looking;
  #shownStretch: number | undefined;
  hasFailed = false;
  /** More of the recording is read, since somebody else has wanted that. */
  #connecting: Promise<void> = Promise.resolve();
  /** Nothing is answered any more. */
  onEnd: (why: string) => void = () => {};

  /** @param connect again, to what has been recorded of a program that goes on by then */
  constructor(client: Client, hello: Hello, print: (text: string) => void, connect?: () => Promise<Wire>) {
    this.#client = client;
    this.#hello = hello;
    this.#connect = connect;
    this.#print = print;
    this.#where = hello.where;
    this.#looking = new Looking(client, print);
    client.onMoved = ({ by, where }) => {
      this.#stand(where);
      this.#print(`client ${by} has gone to ${where.position}\n`);
    };
    client.onClose = (why) => this.#closed(why);
  }

  #closed(why: string): void {
    if (this.#connect === undefined || this.#hello.recording.until === undefined) this.onEnd(why);
    else this.#connecting = this.#connected().catch((error: unknown) => this.onEnd((error as Error).message));
  }

  /** To what has been recorded by now, at its end. */
  async #connected(): Promise<void> {
    if (this.#connect === undefined) return;
    this.#client.reconnect(await this.#connect());
    this.#hello = await this.#client.hello('terminal');
    this.#stand(this.#hello.where);
    this.#shownStretch = undefined;
    await this.begins();
  }

  end(): void {
    this.#client.onClose = () => {};
  }

  async begins(): Promise<void> {
    this.#print(overview(this.#hello));
    await this.#show(this.#where);
  }

  get position(): string {
    return this.#where.position;
  }

  /** Whether another line is wanted. */
  async run(line: string, options: RequestOptions): Promise<boolean> {
    await this.#connecting;
    try {
      const words = wordsOf(line);
      const rest = line.slice(words[1]?.at ?? line.length).trim();
      return await this.#run(
        words.map(({ text }) => text),
        rest,
        options,
      );
    } catch (error) {
      if (!(error instanceof Misunderstood || error instanceof RequestError)) throw error;
      this.hasFailed = true;
      this.#print(`${shown(error.message)}\n`);
      return true;
    }
  }

  /** @param rest the line behind its first word */
  async #run(words: readonly string[], rest: string, options: RequestOptions): Promise<boolean> {
    const [first, ...others] = this.#withoutAlias(words);
    if (first === undefined) return true;
    const own = OWN_COMMANDS.find(({ letter }) => letter === first);
    const name = own?.name ?? this.#commandOf(first);
    if (name === undefined) {
      await this.#go(this.#placeWanted(first, others), options);
      return true;
    }
    if (name === 'quit') return false;
    await this.#do([name, ...others], rest, options);
    return true;
  }

  async #do([name = '', ...others]: readonly string[], rest: string, options: RequestOptions): Promise<void> {
    switch (name) {
      case 'help':
        return this.#help(others);
      case 'now':
        return this.#now(options);
      case 'where':
        this.#stand(await this.#request('where', {}, options));
        this.#shownStretch = undefined;
        return this.#show(this.#where);
      case 'list':
        return this.#list(others, options);
      case 'received':
        return this.#received(options);
      case 'actors':
        return this.#actors(others, options);
      case 'marks':
        return this.#marks(others, options);
      case 'requests':
        return this.#requests(others, options);
      case 'history':
        return this.#history(others, options);
      case 'population':
        return this.#looking.population(options);
      case 'promises':
        return showPromises(this.#client, this.#print, others.join(' '), options);
      case 'find':
        return findText(
          this.#client,
          this.#print,
          { text: rest, from: this.#where.order, begins: this.#hello.begins },
          options,
        );
      case 'mailbox':
        return this.#looking.mailbox(others.join(' '), options);
      case 'difference':
        return this.#looking.difference(others, options);
      case 'changes':
        return this.#changes(rest, options);
      case 'print':
        return this.#looking.print(rest, options);
      case 'variables':
        return this.#looking.variables(rest, options);
      case 'expand':
        return this.#looking.expand(objectIn(rest), options);
      case 'frames':
        return this.#looking.frames(options);
      case 'break':
        return this.#looking.break(rest, options);
      case 'log':
        return this.#looking.log(rest, this.#where.order, options);
      case 'unbreak':
        return this.#looking.unbreak(numberIn(rest), options);
      case 'peek':
        return this.#peek(others, rest, options);
      default:
        return this.#go(this.#wanted([name, ...others], rest), options);
    }
  }

  /** What other debuggers call it is understood, where there is such a thing. */
  #withoutAlias([first = '', ...others]: readonly string[]): readonly string[] {
    const meant = (Object.hasOwn(ALIASES, first) ? ALIASES[first] : undefined)?.split(' ') ?? [];
    if (first === '') return [];
    return [...(meant.length > 0 && meant.every((each) => this.#names().includes(each)) ? meant : [first]), ...others];
  }

  /** The command or move that a word means. Nothing, if it is none, as a position. */
  #commandOf(word: string): string | undefined {
    const found = meant(word, this.#names());
    if (typeof found === 'string') return found;
    if (found.length > 0) throw new Misunderstood(`"${word}" could be ${found.join(', ')}`);
    if (/^[\d+]/.test(word)) return undefined;
    throw new Misunderstood(`there is no command "${word}"; help tells what there is`);
  }

  #names(): string[] {
    return [...OWN_COMMANDS.map(({ name }) => name), ...this.#hello.moves.map(({ id }) => id)];
  }

  /** Of a word that is a position, a percentage or a time: the move that takes nothing but such a one. */
  #placeWanted(word: string, others: readonly string[]): Wanted {
    const kind = word.endsWith('%') ? 'percentage' : word.startsWith('+') ? 'time' : 'position';
    const move = this.#hello.moves.find(({ parameters }) => parameters.length === 1 && parameters[0]?.kind === kind);
    const name = move?.parameters[0]?.name;
    if (move === undefined || name === undefined || others.length > 0)
      throw new Misunderstood(`"${[word, ...others].join(' ')}" is no place to go to; help tells what there is`);
    return { move: move.id, arguments: { [name]: word } };
  }

  /** `[next|back] [MOVE [ARGUMENT…]]` @param rest the line behind the first of them */
  #wanted(words: readonly string[], rest: string): Wanted {
    const [first = ''] = words;
    const direction = first === 'next' ? 'forward' : first === 'back' ? 'backward' : undefined;
    const [name, ...given] = direction === undefined ? words : words.slice(1);
    const directed = this.#hello.moves.filter(({ directions }) => directions.length > 0);
    const among = direction === undefined ? this.#hello.moves : directed;
    const move = name === undefined ? directed[0] : this.#moveOf(name, among);
    if (move === undefined) throw new Misunderstood('there is nothing to move by');
    const { parameters } = move;
    const [only] = parameters;
    // An expression is the rest of the line, as it stands there.
    if (only?.kind === 'expression' && parameters.length === 1 && given.length > 0)
      return {
        move: move.id,
        direction,
        arguments: { [only.name]: direction === undefined ? rest : behindWord(rest) },
      };
    if (given.length > parameters.length)
      throw new Misunderstood(
        `${move.id} takes ${parameters.length === 0 ? 'nothing' : parameters.map((each) => each.name).join(', ')}, not "${given.join(' ')}"`,
      );
    const named = parameters.flatMap(({ name }, i) => (given[i] === undefined ? [] : [[name, given[i]] as const]));
    return { move: move.id, direction, arguments: Object.fromEntries(named) };
  }

  #moveOf(name: string, among: readonly ToldMove[]): ToldMove {
    const found = meant(
      name,
      among.map(({ id }) => id),
    );
    const move = among.find(({ id }) => id === found);
    if (move !== undefined) return move;
    const those = typeof found === 'string' ? [] : found;
    if (those.length > 0) throw new Misunderstood(`"${name}" could be ${those.join(', ')}`);
    throw new Misunderstood(`there is no move "${name}" here; there are ${among.map(({ id }) => id).join(', ')}`);
  }

  async #go(wanted: Wanted, options: RequestOptions): Promise<void> {
    const landed = await this.#request('move', wanted, options);
    this.#stand(landed.where);
    await this.#showLanded(landed);
  }

  /** Breakpoints stay. */
  async #now(options: RequestOptions): Promise<void> {
    const { breakpoints } = this.#hello.statements
      ? await this.#request('breakpoints', {}, options)
      : { breakpoints: [] };
    let closed: string | undefined;
    this.#client.onClose = (why) => void (closed = why);
    try {
      await this.#request('renew', {}, options);
      await this.#connected();
      for (const { id: _, ...each } of breakpoints) await this.#request('break', each, options);
    } finally {
      this.#client.onClose = (why) => this.#closed(why);
      if (closed !== undefined) this.#closed(closed);
    }
  }

  async #peek(words: readonly string[], rest: string, options: RequestOptions): Promise<void> {
    const [first] = words;
    if (first === undefined)
      throw new Misunderstood('peek needs a move, and shows where that would lead: peek next turn');
    const isPlace = /^[\d+]/.test(first);
    const command = OWN_COMMANDS.find(({ letter }) => letter === first)?.name ?? first;
    const wanted = isPlace
      ? this.#placeWanted(first, words.slice(1))
      : this.#wanted([command, ...words.slice(1)], behindWord(rest));
    this.#shownStretch = undefined;
    await this.#showLanded(await this.#request('find', wanted, options));
    this.#shownStretch = undefined;
  }

  /** `[FROM] [COUNT]` */
  async #list(words: readonly string[], options: RequestOptions): Promise<void> {
    const [from = this.#nextListed ?? this.#where.order, count = PAGE] = words.map((word) => numberIn(word));
    const { stretches, next } = await this.#request('stretches', { from, count }, options);
    for (const each of stretches) this.#stretch(each);
    this.#nextListed = next;
    if (stretches.length === 0) this.#print('nothing comes behind\n');
  }

  async #received(options: RequestOptions): Promise<void> {
    const { order, stretch } = this.#where;
    if (stretch === undefined) {
      this.#print('the end sends nothing\n');
      return;
    }
    const { stretches, total } = await this.#request('receivers', { order, count: PAGE }, options);
    for (const each of stretches) this.#stretch(each);
    if (total > stretches.length) this.#print(`and ${total - stretches.length} more\n`);
    if (total === 0) this.#print('nothing that was sent here has been taken\n');
  }

  /** `[COUNT]` */
  async #history([count]: readonly string[], options: RequestOptions): Promise<void> {
    const wish = { count: count === undefined ? PAGE : numberIn(count) };
    const { stretches, why } = await this.#request('history', wish, options);
    for (const { stretch, sent, statement } of stretches) {
      this.#stretch(stretch);
      if (sent !== undefined) this.#print(`          sent at ${sent}\n`);
      if (statement !== undefined) await this.#looking.statement(statement);
    }
    this.#shownStretch = undefined;
    this.#print(`${shown(why ?? 'and so on: say how many')}\n`);
  }

  async #changes(text: string, options: RequestOptions): Promise<void> {
    if (text === '') throw new Misunderstood('changes needs an expression');
    const { changes, next } = await this.#request('changes', { text, count: MANY }, options);
    for (const { stretch, before, after } of changes) {
      this.#stretch(stretch);
      this.#print(`          ${shown(before)} -> ${shown(after)}\n`);
    }
    this.#shownStretch = undefined;
    if (changes.length === 0) {
      const { error } = await this.#request('evaluate', { text, effects: 'none' }, options);
      this.#print(`it is the same from the beginning to the end${error === undefined ? '' : `: ${shown(error)}`}\n`);
    }
    if (next !== undefined) this.#print(`there may be more from ${next} on\n`);
  }

  async #actors([actor]: readonly string[], options: RequestOptions): Promise<void> {
    const { actors, total } = await this.#request('actors', { actor, count: 100 }, options);
    for (const { worker, name, stretches, first, last, birth } of actors) {
      const made = birth === undefined ? '' : `, made at ${birth}`;
      this.#print(
        `  ${shown(name).padEnd(24)}  worker ${worker}, ${counted(stretches, 'stretch')} from ${first} to ${last}${made}\n`,
      );
    }
    if (total > actors.length) this.#print(`and ${total - actors.length} more\n`);
    if (total === 0) this.#print('there is no actor of such a name\n');
  }

  async #marks(words: readonly string[], options: RequestOptions): Promise<void> {
    const [word, matching, ...more] = words;
    const kind = this.#hello.marks.find(({ id }) => id === word)?.id as ToldMarkKind | undefined;
    if (kind === undefined || more.length > 0) {
      const known = this.#hello.marks.map(({ id }) => id).join(', ');
      throw new Misunderstood(`marks needs one of ${known}, and perhaps what its text is like`);
    }
    const asked = { kinds: [kind], matching, from: this.#where.order, count: 100 };
    const { marks, next } = await this.#request('marks', asked, options);
    for (const { position, time, value, text = value } of marks) {
      const seconds = ((time - this.#hello.begins) / 1000).toFixed(3);
      this.#print(`  ${position.padEnd(10)}  +${seconds}s  ${shown(String(text).split('\n', 1)[0] ?? '')}\n`);
    }
    if (marks.length === 0) this.#print('there is none from here on\n');
    if (next !== undefined) this.#print(`there are more from ${next} on\n`);
  }

  async #requests(words: readonly string[], options: RequestOptions): Promise<void> {
    const { requests, total } = await this.#request('requests', requestsWanted(words, 100), options);
    for (const each of requests) this.#print(requestLine(each, this.#hello.begins));
    if (total > requests.length) this.#print(`and ${total - requests.length} more\n`);
    if (total === 0) this.#print('there is no such request\n');
  }

  #help([word]: readonly string[]): void {
    if (word === undefined) {
      this.#print(helpText(this.#hello));
      return;
    }
    const own = OWN_COMMANDS.find(({ letter }) => letter === word);
    const name = own?.name ?? this.#commandOf(word);
    const command = OWN_COMMANDS.find((each) => each.name === name);
    const move = this.#hello.moves.find(({ id }) => id === name);
    if (command !== undefined) this.#print(`${command.usage}\n  ${command.about}\n`);
    if (command?.name === 'break') this.#print(breakHelp(this.#hello.breakpoints));
    if (command !== undefined) return;
    if (move !== undefined) this.#print(moveHelp(move));
    else this.#print('a position, a percentage or a time alone goes there\n');
  }

  #request<M extends MethodName>(method: M, params: ParamsOf<M>, options: RequestOptions): Promise<ResultOf<M>> {
    return this.#client.request(method, params, options);
  }

  #stand(where: Where): void {
    this.#where = where;
    this.#nextListed = undefined;
  }

  async #showLanded({ found, why, note, where }: Landed): Promise<void> {
    if (note !== undefined) this.#print(`${shown(note)}\n`);
    if (found) await this.#show(where);
    else this.#print(`${shown(why ?? 'there is no such place')}\n`);
  }

  async #show({ position, stretch, statement }: Where): Promise<void> {
    if (stretch === undefined) this.#print(`${position}, the end\n`);
    // Within one stretch it is said once.
    else if (statement === undefined || stretch.order !== this.#shownStretch) this.#stretch(stretch);
    this.#shownStretch = stretch?.order;
    if (statement !== undefined) await this.#looking.statement(statement);
  }

  #stretch(stretch: NonNullable<Where['stretch']>): void {
    for (const line of stretchLines(stretch, this.#hello.begins)) this.#print(line);
  }

  /** What the last word of a line could be, and how much of the line that is. */
  async completionsOf(line: string): Promise<[string[], string]> {
    const words = wordsOf(line);
    const isFresh = words.length === 0 || /\s$/.test(line);
    const last = isFresh ? undefined : words.at(-1);
    const before = (isFresh ? words : words.slice(0, -1)).map(({ text }) => text);
    const start = last?.text ?? '';
    const all = await this.#proposed(before, start);
    const typed = last === undefined ? '' : line.slice(last.at);
    return [all.filter((each) => each.startsWith(start)).map((each) => `${asWord(each)} `), typed];
  }

  async #proposed(before: readonly string[], start: string): Promise<readonly string[]> {
    const rest = [...before];
    if (rest.length === 0) return this.#names();
    const [first] = rest;
    if (first === 'help') return rest.length === 1 ? this.#names() : [];
    if (first === 'marks') return rest.length === 1 ? this.#hello.marks.map(({ id }) => id) : [];
    if (first === 'break') return rest.length === 1 ? this.#hello.breakpoints.map(({ id }) => id) : [];
    if (first === 'requests') return rest.length === 1 ? [...REQUEST_WORDS, ...(await this.#requested(start))] : [];
    const isPeek = first === 'peek' || first === 'k';
    if (isPeek) rest.shift();
    const directed = ['next', 'back', 'n', 'b'].includes(rest[0] ?? '');
    if (directed) rest.shift();
    const { moves } = this.#hello;
    const ids = moves.filter(({ directions }) => !directed || directions.length > 0).map(({ id }) => id);
    if (rest.length === 0) return isPeek && !directed ? ['next', 'back', ...ids] : ids;
    const move = moves.find(({ id }) => id === rest[0]);
    const parameter = move?.parameters[rest.length - 1];
    if (move === undefined || parameter === undefined) return [];
    return this.#valuesOf(move, parameter.name, start);
  }

  async #requested(start: string): Promise<readonly string[]> {
    const move = this.#hello.moves.find(({ id }) => id === 'request');
    const [parameter] = move?.parameters ?? [];
    return move === undefined || parameter === undefined ? [] : this.#valuesOf(move, parameter.name, start);
  }

  async #valuesOf({ id }: ToldMove, parameter: string, start: string): Promise<readonly string[]> {
    const { values } = await this.#client.request('propose', { move: id, parameter, start, count: 50 });
    return values;
  }
}

function behindWord(text: string): string {
  return text.replace(/^\S+\s*/, '');
}
