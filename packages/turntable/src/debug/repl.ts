// Terminal client of the debug server. It runs lines one after the other: finds the command of each line in the table of
// commands, and calls what implements the command.
import {
  EXPANDED_COMMANDS,
  RequestError,
  type Client,
  type DebuggerCommand,
  type RequestOptions,
  type Wire,
} from '@turntable/time-machine/client';
import { readFileSync } from 'node:fs';
import { BreakpointCommands } from './breakpoint-commands.ts';
import { LineArguments } from './line-arguments.ts';
import { rejectFormerArguments, resolveCommand } from './command-names.ts';
import { Completion } from './completion.ts';
import { introductionText, overviewHelp, topicHelp } from './help.ts';
import { InfoCommand } from './info-commands.ts';
import { printPromises } from './promise-lines.ts';
import { RecordingCommands } from './recording-commands.ts';
import { ReplSession, type RecordingHello } from './session.ts';
import { StackCommands } from './stack-commands.ts';
import { TravelCommands } from './travel-commands.ts';
import { parseNumber, ReplInputError } from './words.ts';

type Handler = (args: LineArguments, options: RequestOptions) => Promise<void> | void;

/** Maximum number of files that run each other with `source`. */
const MAX_SOURCE_DEPTH = 10;

export class Repl {
  readonly #session: ReplSession;
  readonly #connect: (() => Promise<Wire>) | undefined;
  readonly #travel: TravelCommands;
  readonly #stack: StackCommands;
  readonly #breakpoints: BreakpointCommands;
  /** Lines to run at each stop of a breakpoint, by its number. */
  readonly #commandLists = new Map<number, string[]>();
  /** The list that the next lines belong to, up to the line `end`. */
  #collectedList: string[] | undefined;
  readonly #handlers: Readonly<Record<string, Handler>>;
  readonly #completion: Completion;
  /** The line that an empty line repeats. */
  #repeatableLine = '';
  #sourceDepth = 0;
  #hasQuit = false;
  hasFailed = false;
  /** Settles when a reconnection that another client has caused is over. */
  #reconnecting: Promise<void> = Promise.resolve();
  /** Called with the reason when the connection to the server is lost for good. */
  onEnd: (reason: string) => void = () => {};

  /** @param connect opens a new connection to a running program's recording */
  constructor(client: Client, hello: RecordingHello, print: (text: string) => void, connect?: () => Promise<Wire>) {
    this.#connect = connect;
    const session = new ReplSession(client, hello, print);
    this.#session = session;
    this.#travel = new TravelCommands(session);
    this.#stack = new StackCommands(session);
    this.#breakpoints = new BreakpointCommands(session);
    this.#completion = new Completion(session);
    this.#handlers = this.#createHandlers();
    client.onMoved = ({ client: clientId, cursor }) => {
      session.cursor = cursor;
      session.print(`client ${clientId} moved to ${cursor.position}\n`);
    };
    client.onClose = (reason) => this.#onClosed(reason);
  }

  #createHandlers(): Readonly<Record<string, Handler>> {
    const session = this.#session;
    const [travel, stack] = [this.#travel, this.#stack];
    const recording = new RecordingCommands(session);
    const breakpoints = this.#breakpoints;
    const info = new InfoCommand({ session, stack, breakpoints, recording, travel });
    session.onPosition = () => {
      recording.positionChanged();
      stack.positionChanged();
    };
    return {
      peek: (args, options) => travel.peek(args, options),
      bookmark: (args, options) => travel.bookmark(args, options),
      bookmarks: (_, options) => travel.bookmarks(options),
      restart: (args, options) => travel.restart(args, options),
      latest: (_, options) => this.#latest(options),
      break: (args, options) => breakpoints.break(args, false, options),
      tbreak: (args, options) => breakpoints.break(args, true, options),
      watch: (args, options) => breakpoints.watch(args, options),
      log: (args, options) => breakpoints.log(args, options),
      delete: (args, options) => breakpoints.delete(args, options),
      clear: (args, options) => breakpoints.clear(args, options),
      commands: (args, options) => this.#collectCommands(args, options),
      save: (args, options) => breakpoints.save(args, options),
      set: (args, options) => stack.set(args.text, options),
      enable: (args, options) => breakpoints.setEnabled(args, true, options),
      disable: (args, options) => breakpoints.setEnabled(args, false, options),
      condition: (args, options) => breakpoints.condition(args, options),
      ignore: (args, options) => breakpoints.ignore(args, options),
      bt: (args, options) => stack.backtrace(args, options),
      frame: (args, options) => stack.frame(args, options),
      up: (args, options) => stack.up(args, 1, options),
      down: (args, options) => stack.up(args, -1, options),
      list: (args, options) => stack.list(args, options),
      info: (args, options) => info.run(args, options),
      print: (args, options) => stack.print(args.text, options),
      display: (args, options) => stack.display(args.text, options),
      undisplay: (args) => stack.undisplay(args),
      locals: (_, options) => stack.locals(options),
      whatis: (args, options) => stack.whatis(args.text, options),
      expand: (args, options) => stack.expand(args, options),
      changes: (args, options) => recording.changes(args.text, options),
      diff: (args, options) => recording.diff(args, options),
      why: (args, options) => recording.why(args, options),
      tasks: (args, options) => recording.tasks(args, options),
      events: (args, options) => recording.events(args, options),
      requests: (args, options) => recording.requests(args, options),
      find: (args, options) => recording.find(args, options),
      actors: (args, options) => recording.actors(args, options),
      mailbox: (args, options) => recording.mailbox(args, options),
      promises: (args, options) => printPromises(session.client, session.print, args.textAfter(0) ?? '', options),
      replies: (_, options) => recording.replies(options),
      source: (args, options) => this.#source(args, options),
      help: (args) => this.#help(args),
      quit: () => void (this.#hasQuit = true),
    };
  }

  #onClosed(reason: string): void {
    if (this.#connect === undefined || this.#session.hello.recording.until === undefined) this.onEnd(reason);
    else this.#reconnecting = this.#reconnect().catch((error: unknown) => this.onEnd((error as Error).message));
  }

  /** Connects to the refreshed recording of a running program, and shows its end. */
  async #reconnect(): Promise<void> {
    if (this.#connect === undefined) return;
    const session = this.#session;
    session.client.reconnect(await this.#connect());
    session.hello = await session.client.hello('terminal');
    session.cursor = session.hello.cursor;
    session.forgetShownTask();
    await this.start();
  }

  end(): void {
    this.#session.client.onClose = () => {};
  }

  async start(): Promise<void> {
    this.#session.print(introductionText(this.#session.hello));
    await this.#session.showCursor(this.#session.cursor);
  }

  get position(): string {
    return this.#session.cursor.position;
  }

  /** The line to run for a line that was entered on a terminal: an empty one repeats the last command if it can. */
  lineToRepeat(line: string): string {
    return line.trim() === '' ? this.#repeatableLine : line;
  }

  /** Runs a line, and the command lists of the breakpoints where it stops. Resolves with whether to read on. */
  async run(line: string, options: RequestOptions): Promise<boolean> {
    await this.#reconnecting;
    const pending = [line.trim()];
    for (let next = pending.shift(); next !== undefined && !this.#hasQuit; next = pending.shift()) {
      if (this.#collectedList === undefined) await this.#runLine(next, options);
      else if (next === 'end') this.#collectedList = undefined;
      else this.#collectedList.push(next);
      const { stops } = this.#session;
      this.#session.stops = [];
      await this.#breakpoints.stopped(stops, options);
      pending.unshift(...stops.flatMap((id) => this.#commandLists.get(id) ?? []));
      if (options.signal?.aborted === true) break;
    }
    return !this.#hasQuit;
  }

  async #runLine(line: string, options: RequestOptions): Promise<void> {
    try {
      await this.#execute(line, options);
    } catch (error) {
      if (!(error instanceof ReplInputError || error instanceof RequestError)) throw error;
      this.hasFailed = true;
      this.#session.printLine(error.message);
    }
  }

  /** Starts a command list. Arguments: `[NUMBER]` */
  async #collectCommands(args: LineArguments, options: RequestOptions): Promise<void> {
    const id = args.text === '' ? await this.#breakpoints.lastId(options) : parseNumber(args.text);
    if (id === undefined) throw new ReplInputError('commands needs a breakpoint; set one first');
    this.#commandLists.set(id, (this.#collectedList = []));
  }

  async #execute(entered: string, options: RequestOptions): Promise<void> {
    const line = entered.replace(/^[\w-]+/, (word) => EXPANDED_COMMANDS.get(word) ?? word);
    // A format of gdb's print, such as /x, follows the name without a space.
    const [, word, text = ''] = /^([^\s/]+)(?:\/\w+)?\s*(.*)$/s.exec(line) ?? [];
    // gdb's `silent` hides a stop in a command list. Stops are always shown here.
    if (word === undefined || word.startsWith('#') || word === 'silent') return;
    const command = resolveCommand(word);
    const args = new LineArguments(text);
    rejectFormerArguments(command, args.words);
    this.#repeatableLine = command.isRepeatable === true ? repeatedLine(command, line) : '';
    const before = this.#session.cursor;
    const handler = Object.hasOwn(this.#handlers, command.name) ? this.#handlers[command.name] : undefined;
    await (handler === undefined ? this.#travel.move(command, args, options) : handler(args, options));
    if (this.#session.cursor !== before && this.#session.displays.size > 0) await this.#stack.showDisplays(options);
  }

  /** Runs the commands of a file. */
  async #source(args: LineArguments, options: RequestOptions): Promise<void> {
    const file = args.textAfter(0);
    if (file === undefined) throw new ReplInputError('source needs a FILE; to show source code, use: list');
    if (this.#sourceDepth === MAX_SOURCE_DEPTH) throw new ReplInputError(`source: ${file} runs too many other files`);
    let lines: readonly string[];
    try {
      lines = readFileSync(file, 'utf8').split('\n');
    } catch (error) {
      throw new ReplInputError(`source: ${(error as Error).message}`);
    }
    this.#sourceDepth++;
    try {
      for (const line of lines) {
        options.signal?.throwIfAborted();
        if (line.trim() === '' || line.trim().startsWith('#')) continue;
        this.#session.printLine(`${this.position}> ${line.trim()}`);
        if (!(await this.run(line, options))) return;
      }
    } finally {
      this.#sourceDepth--;
    }
  }

  /** Refreshes the recording and reconnects. Breakpoints are set again. */
  async #latest(options: RequestOptions): Promise<void> {
    const { client, hello } = this.#session;
    const { breakpoints } = hello.canStep ? await client.request('breakpoints', {}, options) : { breakpoints: [] };
    let closeReason: string | undefined;
    client.onClose = (reason) => void (closeReason = reason);
    try {
      await client.request('refresh', {}, options);
      await this.#reconnect();
      for (const { id: _, ...each } of breakpoints) await client.request('addBreakpoint', each, options);
    } finally {
      client.onClose = (reason) => this.#onClosed(reason);
      if (closeReason !== undefined) this.#onClosed(closeReason);
    }
  }

  #help(args: LineArguments): void {
    const [topic] = args.words;
    const { hello } = this.#session;
    this.#session.print(topic === undefined ? overviewHelp(hello) : topicHelp(topic, hello));
  }

  /** Completions of the last word, and the part of the line that they replace. */
  completionsOf(line: string): Promise<[string[], string]> {
    return this.#completion.complete(line);
  }
}

/** What an empty line runs after a command: a list continues, and another command is repeated. */
function repeatedLine({ name }: DebuggerCommand, line: string): string {
  return name === 'list' || name === 'tasks' ? name : line;
}
