// One client's conversation: messages in, messages out. The library counts and makes messages; here is what it leaves open: every request is answered, once, with what came of it or with
// what is wrong with it, in whatever order; any can be given up; and nothing that a client sends ends the conversation, but bytes that are no messages.
import { DebugSession, Event, Response } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import { Given } from './given.ts';

/** A request that is being answered. */
export interface Asked {
  readonly given: Given;
  readonly signal: AbortSignal;
  /** By which it can be cancelled. */
  readonly seq: number;
  /** @param run when it is answered, unless that is with an error */
  afterwards(run: () => void): void;
}

/** The body of a response, if it has one. */
export type Answer = (asked: Asked) => object | void | Promise<object | void>;

export interface Answering {
  /** Of a command; or why it is not answered now. */
  answerTo(command: string): Answer | DapError;
}

/** How a client counts. */
export interface Counting {
  lineTo(line: number): number;
  lineFrom(line: number): number;
  columnTo(column: number): number;
  columnFrom(column: number): number;
}

/** Requests that are answered at the same time. */
const MOST_OPEN = 64;

type Message = Readonly<Record<string, unknown>>;

export class Conversation extends DebugSession implements Counting {
  readonly #answering: Answering;
  readonly #open = new Map<number, AbortController>();
  #isOver = false;

  /** @param send is given each message as a text */
  constructor(answering: Answering, send: (text: string) => void) {
    super();
    this.#answering = answering;
    this.setDebuggerLinesStartAt1(true);
    this.setDebuggerColumnsStartAt1(true);
    this.onDidSendMessage((message) => {
      if (!this.#isOver) send(JSON.stringify(message));
    });
  }

  receive(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#misses('a message is one JSON text');
      return;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      this.#misses('a message is an object');
      return;
    }
    const { type, seq, command } = message as Message;
    if (type === 'response') this.handleMessage(message as DebugProtocol.Response);
    else if (type !== 'request') this.#misses(`a message is a request or a response, not ${JSON.stringify(type)}`);
    else if (!Number.isSafeInteger(seq) || typeof command !== 'string')
      this.#refuse(
        { seq: Number.isSafeInteger(seq) ? seq : 0, command: typeof command === 'string' ? command : '' },
        new DapError('TT_DAP_REQUEST', 'a request has a number, seq, and a command'),
      );
    else this.handleMessage(message as DebugProtocol.Request);
  }

  tell(event: string, body: object = {}): void {
    this.sendEvent(new Event(event, body));
  }

  /** Gives up what is being answered; a request that is not any more is none. */
  cancel(seq: number): void {
    this.#open.get(seq)?.abort();
  }

  end(): void {
    this.#isOver = true;
    for (const each of this.#open.values()) each.abort();
  }

  lineTo(line: number): number {
    return this.convertDebuggerLineToClient(line);
  }

  lineFrom(line: number): number {
    return this.convertClientLineToDebugger(line);
  }

  columnTo(column: number): number {
    return this.convertDebuggerColumnToClient(column);
  }

  columnFrom(column: number): number {
    return this.convertClientColumnToDebugger(column);
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    // The library has to read how the client counts; that paths are paths, it wants to be told.
    if (request.command !== 'initialize') void this.#answer(request);
    else {
      const { arguments: its } = request as { readonly arguments?: unknown };
      const isObject = typeof its === 'object' && its !== null;
      super.dispatchRequest({ ...request, arguments: { pathFormat: 'path', ...(isObject ? its : {}) } });
    }
  }

  protected override initializeRequest(
    { request_seq: seq, command }: DebugProtocol.InitializeResponse,
    its: DebugProtocol.InitializeRequestArguments,
  ): void {
    void this.#answer({ type: 'request', seq, command, arguments: its });
  }

  async #answer(request: DebugProtocol.Request): Promise<void> {
    const { seq, command, arguments: its = {} } = request as DebugProtocol.Request & { readonly arguments?: unknown };
    const answer = this.#answering.answerTo(command);
    if (answer instanceof DapError) return this.#refuse(request, answer);
    if (this.#open.has(seq) || this.#open.size >= MOST_OPEN) {
      const why = this.#open.has(seq) ? `request ${seq}` : `${MOST_OPEN} requests`;
      return this.#refuse(request, new DapError('TT_DAP_REQUEST', `${why} is being answered: another one has to wait`));
    }
    const controller = new AbortController();
    this.#open.set(seq, controller);
    const later: (() => void)[] = [];
    try {
      const asked: Asked = {
        given: new Given(`${command}: arguments`, its ?? {}),
        signal: controller.signal,
        seq,
        afterwards: (run) => void later.push(run),
      };
      const body = await answer(asked);
      const response: DebugProtocol.Response = new Response(request);
      if (typeof body === 'object') response.body = body;
      this.sendResponse(response);
    } catch (error) {
      const isGivenUp = controller.signal.aborted;
      this.#refuse(request, isGivenUp ? new DapError('TT_DAP_CANCELLED', 'cancelled') : error);
      return;
    } finally {
      this.#open.delete(seq);
    }
    for (const run of later) run();
  }

  #refuse({ seq, command }: { readonly seq: unknown; readonly command: string }, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const request = { type: 'request', seq: seq as number, command } as DebugProtocol.Request;
    const response: DebugProtocol.Response = new Response(request, message);
    // What was given up is known, and what comes of an expression is shown where it stands.
    const isCancelled = error instanceof DapError && error.code === 'TT_DAP_CANCELLED';
    const isForUser = !isCancelled && command !== 'evaluate';
    const format = message.replaceAll('{', '(').replaceAll('}', ')');
    response.body = { error: { id: 1, format, showUser: isForUser } };
    this.sendResponse(response);
  }

  /** There is nobody whom this could be the answer to. */
  #misses(what: string): void {
    this.tell('output', { category: 'console', output: `not understood: ${what}\n` });
  }
}
