// The session of one DAP client, from `initialize` to `disconnect`: records a program or opens a recording, passes
// requests to the debuggee, and closes everything at the end.
import { timingSafeEqual } from 'node:crypto';
import { Client } from '@turntable/time-machine/client';
import { CAPABILITIES } from './capabilities.ts';
import { Connection, type DapRequestHandler, type DapRequest } from './connection.ts';
import { DapError } from './dap-error.ts';
import { Debuggee } from './debuggee.ts';
import type { RequestArguments } from './request-arguments.ts';
import type { SessionContext } from './session-context.ts';
import type { DebugEmbedder, OpenRecording, RecordingOptions } from './debug-embedder.ts';
import { ProgressReporter } from './progress-reporter.ts';

export interface DapSessionDeps {
  readonly send: (text: string) => void;
  /** Called after the response to `disconnect`. */
  readonly onDone: () => void;
  readonly token: string | undefined;
}

interface OpenDebuggee {
  readonly debuggee: Debuggee;
  readonly recording: OpenRecording;
  /** Opens the recording again, up to its latest events; undefined if the session is not attached to a process. */
  readonly reopen: (() => Promise<OpenRecording>) | undefined;
}

/** Maximum number of listed threads if the client sets none. */
const DEFAULT_THREADS = 100;
const DEFAULT_LOG_POINT_HITS = 1000;
/** The stages of a session. Each stage allows different requests. */
type Stage = 'new' | 'greeted' | 'opening' | 'open' | 'over';

export class DapSession {
  readonly #embedder: DebugEmbedder;
  readonly #deps: DapSessionDeps;
  readonly #connection: Connection;
  readonly #progress: ProgressReporter;
  #stage: Stage = 'new';
  #current: OpenDebuggee | undefined;
  #maxThreads = DEFAULT_THREADS;
  #maxLogPointHits = DEFAULT_LOG_POINT_HITS;
  /** Whether the client handles the event `invalidated`. */
  #handlesInvalidated = false;
  #lastBreakpointId = 0;
  #stopAt: 'start' | 'end' = 'start';
  /** Aborts the recording of a program or the opening of a recording; undefined if neither is in progress. */
  #openController: AbortController | undefined;
  /** Interrupts the program that is being recorded; undefined if none is. */
  #stopController: AbortController | undefined;
  /** What `configurationDone` starts after a running program's recording was opened again. */
  #afterConfiguration: ((debuggee: Debuggee) => void) | undefined;

  constructor(embedder: DebugEmbedder, deps: DapSessionDeps) {
    this.#embedder = embedder;
    this.#deps = deps;
    this.#connection = new Connection(this, deps.send);
    this.#progress = new ProgressReporter((event, body) => this.#connection.emitEvent(event, body));
  }

  receive(text: string): void {
    this.#connection.receive(text);
  }

  /** Prints to the client's console that it sent malformed input. */
  reportMalformed(problem: string): void {
    this.#printLine(`malformed message: ${problem}`);
  }

  /** Aborts all requests and closes the recording. To be called when the connection has ended. */
  async end(): Promise<void> {
    this.#connection.end();
    await this.#close();
  }

  handlerOf(command: string): DapRequestHandler | DapError {
    const ownHandler = Object.hasOwn(this.#handlers, command) ? this.#handlers[command] : undefined;
    if (ownHandler !== undefined)
      return this.#stage === 'new' && command !== 'initialize' ? prematureRequest('initialize') : ownHandler;
    const debuggeeHandlers = this.#current?.debuggee.handlers;
    // A client that ends its session may still be asking for the last stop.
    if (this.#stage === 'over') return new DapError('TT_DAP_CANCELLED', 'cancelled');
    if (debuggeeHandlers === undefined)
      return this.#stage === 'new' ? prematureRequest('initialize') : prematureRequest('launch or attach', command);
    return Object.hasOwn(debuggeeHandlers, command)
      ? (debuggeeHandlers[command] as DapRequestHandler)
      : unknownRequest(command);
  }

  readonly #handlers: Readonly<Record<string, DapRequestHandler>> = {
    initialize: ({ args }) => {
      if (this.#stage !== 'new') throw new DapError('TT_DAP_REQUEST', 'initialize was already sent; send it only once');
      this.#stage = 'greeted';
      this.#progress.isSupported = args.flag('supportsProgressReporting');
      this.#handlesInvalidated = args.flag('supportsInvalidatedEvent');
      return CAPABILITIES;
    },
    launch: (request) => this.#startSession(request, () => this.#launch(request)),
    attach: (request) => this.#startSession(request, () => this.#attach(request)),
    configurationDone: ({ afterResponse }) => {
      const debuggee = this.#debuggee();
      afterResponse(() => {
        debuggee.startLogPoints();
        const resume = this.#afterConfiguration;
        this.#afterConfiguration = undefined;
        if (resume !== undefined) resume(debuggee);
        else if (this.#stopAt === 'end') void debuggee.goTo(this.#current?.reopen ? 'end' : 'last', 'entry');
        else debuggee.stepper.sendStopped({ reason: 'entry' });
      });
    },
    pause: (request) => {
      const debuggee = this.#debuggee();
      const reopen = this.#current?.reopen;
      if (reopen === undefined || debuggee.stepper.isMoving) return debuggee.handlers['pause']?.(request);
      request.afterResponse(() => void this.#reopenAtEnd(reopen));
    },
    continue: (request) => {
      const debuggee = this.#debuggee('continue');
      const reopen = this.#current?.reopen;
      const { cursor, isMoving } = debuggee.stepper;
      if (reopen === undefined || isMoving || cursor.task !== undefined)
        return debuggee.handlers['continue']?.(request);
      request.afterResponse(() => void this.#reopenAndContinue(reopen, cursor.position));
      return { allThreadsContinued: true };
    },
    restart: ({ afterResponse }) => {
      const debuggee = this.#debuggee();
      afterResponse(() => void debuggee.goTo('start', 'entry'));
    },
    terminate: async ({ afterResponse }) => {
      // The first request ends the program, and its recording is opened. The second one ends the session.
      if (this.#stopController?.signal.aborted === false) return this.#stopController.abort();
      await this.#close();
      afterResponse(() => this.#connection.emitEvent('terminated'));
    },
    disconnect: async ({ afterResponse }) => {
      await this.#close();
      afterResponse(() => this.#deps.onDone());
    },
    cancel: ({ args }) => {
      const requestId = args.optionalInteger('requestId');
      const progressId = args.optionalString('progressId');
      if (requestId !== undefined) this.#connection.cancel(requestId);
      if (progressId !== undefined) this.#progress.cancel(progressId);
    },
  };

  #debuggee(command?: string): Debuggee {
    if (this.#current === undefined) throw prematureRequest('launch or attach', command);
    return this.#current.debuggee;
  }

  async #startSession({ args, afterResponse }: DapRequest, open: () => Promise<void>): Promise<void> {
    if (this.#stage !== 'greeted')
      throw new DapError(
        'TT_DAP_REQUEST',
        'this session already has a recording; start another session for another recording',
      );
    this.#checkToken(args);
    this.#maxThreads = Math.max(1, args.optionalInteger('threads') ?? DEFAULT_THREADS);
    this.#maxLogPointHits = Math.max(1, args.optionalInteger('logPointHits') ?? DEFAULT_LOG_POINT_HITS);
    this.#stage = 'opening';
    try {
      await open();
    } catch (error) {
      this.#stage = 'greeted';
      throw error;
    }
    this.#stage = 'open';
    afterResponse(() => this.#connection.emitEvent('initialized'));
  }

  /** Throws unless the client has passed the token of this session, if the session has one. */
  #checkToken(args: RequestArguments): void {
    const { token } = this.#deps;
    if (token === undefined) return;
    const [actual, expected] = [Buffer.from(args.optionalString('token') ?? ''), Buffer.from(token)];
    if (actual.length === expected.length && timingSafeEqual(actual, expected)) return;
    throw new DapError(
      'TT_DAP_TOKEN',
      'the token is missing or wrong; set "token" in the configuration to the token that turntable dap --port printed',
    );
  }

  async #launch({ args, signal }: DapRequest): Promise<void> {
    const program = args.optionalString('program');
    const path = args.optionalString('recording');
    if ((program === undefined) === (path === undefined))
      throw new DapError('TT_DAP_ARGUMENTS', 'the configuration must have either "recording" or "program"');
    this.#stopAt = stopAtIn(args) ?? (program === undefined ? 'start' : 'end');
    const recordingPath = program === undefined ? (path as string) : await this.#recordProgram(program, args, signal);
    await this.#openRecording(recordingOptionsIn(args, recordingPath), signal);
    // It was printed while the program ran.
    if (program !== undefined) this.#debuggee().skipOutputBefore(Infinity);
  }

  /** Records a program until it exits, and prints its output. Returns the path of the recording. */
  async #recordProgram(program: string, args: RequestArguments, signal: AbortSignal): Promise<string> {
    const env = Object.entries(args.scalars('env')).map(([name, value]) => [name, String(value)] as const);
    const options = {
      program,
      args: args.strings('args'),
      cwd: args.optionalString('cwd'),
      env: Object.fromEntries(env),
      flags: args.strings('flags'),
      recordings: args.optionalString('recordings'),
    };
    const onOutput = (category: string, output: string): void =>
      this.#connection.emitEvent('output', { category, output });
    const { signal: stop } = (this.#stopController = new AbortController());
    try {
      return await this.#withProgress(`recording ${program}`, signal, (cancel) =>
        this.#embedder.record(options, onOutput, { cancel, stop }),
      );
    } finally {
      this.#stopController = undefined;
    }
  }

  async #attach({ args, signal }: DapRequest): Promise<void> {
    const pid = args.optionalInteger('pid');
    const path =
      args.optionalString('recording') ?? (pid === undefined ? undefined : await this.#embedder.recordingPathOf(pid));
    this.#stopAt = stopAtIn(args) ?? (path === undefined ? 'start' : 'end');
    if (path !== undefined) {
      const options = { ...recordingOptionsIn(args, path), isLive: true };
      await this.#openRecording(options, signal);
      return;
    }
    const address = args.optionalString('address') ?? `ws://127.0.0.1:${args.integer('port')}/${args.string('secret')}`;
    const client = await Client.connect(address);
    await this.#startDebugging({ client, close: () => Promise.resolve(client.close()) }, undefined);
  }

  async #openRecording(options: RecordingOptions, signal: AbortSignal): Promise<void> {
    const open = (openSignal: AbortSignal): Promise<OpenRecording> =>
      this.#withProgress('replaying the recording', openSignal, (runSignal) => this.#embedder.open(options, runSignal));
    const reopen = options.isLive ? () => open(new AbortController().signal) : undefined;
    await this.#startDebugging(await open(signal), reopen);
  }

  async #startDebugging(recording: OpenRecording, reopen: OpenDebuggee['reopen']): Promise<void> {
    const { client } = recording;
    try {
      const hello = await client.hello('dap');
      const context: SessionContext = {
        client,
        hello,
        numbering: this.#connection,
        progress: this.#progress,
        maxLogPointHits: this.#maxLogPointHits,
        nextBreakpointId: () => ++this.#lastBreakpointId,
        emitEvent: (event, body) => this.#connection.emitEvent(event, body),
        variablesChanged: () => {
          if (this.#handlesInvalidated) this.#connection.emitEvent('invalidated', { areas: ['variables'] });
        },
        printLine: (text) => this.#printLine(text),
      };
      const debuggee = await Debuggee.create(context, this.#maxThreads);
      client.onClose = (reason) => this.#serverClosed(reason);
      // The client may have disconnected while the recording was opened.
      if (this.#stage === 'over') throw new DapError('TT_DAP_CANCELLED', 'cancelled');
      this.#current = { debuggee, recording, reopen };
    } catch (error) {
      await recording.close();
      throw error;
    }
  }

  /** Opens the recording of a running program again, up to its latest events, and moves to the end. */
  #reopenAtEnd(reopen: () => Promise<OpenRecording>): Promise<void> {
    return this.#reopen(reopen, (debuggee) => {
      debuggee.startLogPoints();
      this.#connection.emitEvent('initialized');
      void debuggee.goTo('end', 'pause');
    });
  }

  /**
   * Opens the recording of a running program again, and moves from its previous end to the next breakpoint, once the
   * client has set its breakpoints again.
   */
  #reopenAndContinue(reopen: () => Promise<OpenRecording>, previousEnd: string): Promise<void> {
    return this.#reopen(reopen, () => {
      this.#afterConfiguration = (debuggee) => void debuggee.continueFrom(previousEnd);
      this.#connection.emitEvent('initialized');
    });
  }

  async #reopen(reopen: () => Promise<OpenRecording>, resume: (debuggee: Debuggee) => void): Promise<void> {
    const previous = this.#current;
    try {
      await this.#startDebugging(await reopen(), reopen);
      await previous?.recording.close();
      const debuggee = this.#debuggee();
      if (previous !== undefined) debuggee.skipOutputBefore(previous.debuggee.stepper.cursor.order);
      resume(debuggee);
    } catch (error) {
      this.#printLine((error as Error).message);
      previous?.debuggee.stepper.sendStopped({ reason: 'pause' });
    }
  }

  async #withProgress<T>(title: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    this.#openController = controller;
    signal.addEventListener('abort', abort);
    const item = this.#progress.start(title, controller, true);
    try {
      return await run(controller.signal);
    } finally {
      item.end();
      signal.removeEventListener('abort', abort);
      this.#openController = undefined;
    }
  }

  /** Ends the session after the server has closed its connection. */
  #serverClosed(reason: string): void {
    if (this.#stage === 'over') return;
    this.#printLine(`the time machine has ended: ${reason}`);
    this.#current = undefined;
    this.#stage = 'over';
    this.#connection.emitEvent('terminated');
  }

  async #close(): Promise<void> {
    this.#stage = 'over';
    this.#openController?.abort();
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    current.recording.client.onClose = () => {};
    try {
      await current.debuggee.detach();
    } catch {
      // The server has ended, and its breakpoints with it.
    }
    await current.recording.close();
  }

  #printLine(text: string): void {
    this.#connection.emitEvent('output', { category: 'console', output: `${text}\n` });
  }
}

function recordingOptionsIn(args: RequestArguments, path: string): RecordingOptions {
  return {
    path,
    phase: args.optionalInteger('phase'),
    isForced: args.flag('force'),
    isFresh: args.flag('rebuild'),
    isTrusted: args.flag('trusted'),
    requiresIsolation: args.flag('requireIsolation'),
    showsSecrets: args.flag('noRedact'),
    isLive: false,
  };
}

function stopAtIn(args: RequestArguments): 'start' | 'end' | undefined {
  const text = args.optionalString('stopAt');
  if (text === undefined || text === 'start' || text === 'end') return text;
  throw new DapError('TT_DAP_ARGUMENTS', `stopAt must be "start" or "end", not ${JSON.stringify(text)}`);
}

function prematureRequest(required: string, command?: string): DapError {
  const problem = command === undefined ? '' : `${command} needs a recording; `;
  return new DapError('TT_DAP_REQUEST', `${problem}send ${required} first`);
}

function unknownRequest(command: string): DapError {
  return new DapError('TT_DAP_REQUEST', `the request ${JSON.stringify(command)} is not supported`);
}
