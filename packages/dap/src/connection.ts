// One client's conversation: messages in, messages out. The library counts and makes messages; here is what it leaves open: every request is answered, once, with what came of it or with
// what is wrong with it, in whatever order; any can be given up; and nothing that a client sends ends the conversation, but bytes that are no messages.
import { DebugSession, Event, Response } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import { RequestArguments } from './request-arguments.ts';

/** A request that is being answered. */
export interface DapRequest {
  readonly args: RequestArguments;
  readonly signal: AbortSignal;
  /** By which it can be cancelled. */
  readonly seq: number;
  /** @param callback when it is answered, unless that is with an error */
  afterResponse(callback: () => void): void;
}

/** The body of a response, if it has one. */
export type DapRequestHandler = (request: DapRequest) => object | void | Promise<object | void>;

export interface DapRequests {
  /** Of a command; or why it is not answered now. */
  handlerOf(command: string): DapRequestHandler | DapError;
}

/** How a client counts. */
export interface LineNumbering {
  toClientLine(line: number): number;
  fromClientLine(line: number): number;
  toClientColumn(column: number): number;
  fromClientColumn(column: number): number;
}

/** Requests that are answered at the same time. */
const MAX_PENDING_REQUESTS = 64;

type RawMessage = Readonly<Record<string, unknown>>;

export class Connection extends DebugSession implements LineNumbering {
  readonly #requests: DapRequests;
  readonly #pending = new Map<number, AbortController>();
  #hasEnded = false;

  /** @param send is given each message as a text */
  constructor(requests: DapRequests, send: (text: string) => void) {
    super();
    this.#requests = requests;
    this.setDebuggerLinesStartAt1(true);
    this.setDebuggerColumnsStartAt1(true);
    this.onDidSendMessage((message) => {
      if (!this.#hasEnded) send(JSON.stringify(message));
    });
  }

  receive(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#reportMalformed('a message is one JSON text');
      return;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      this.#reportMalformed('a message is an object');
      return;
    }
    const { type, seq, command } = message as RawMessage;
    if (type === 'response') this.handleMessage(message as DebugProtocol.Response);
    else if (type !== 'request')
      this.#reportMalformed(`a message is a request or a response, not ${JSON.stringify(type)}`);
    else if (!Number.isSafeInteger(seq) || typeof command !== 'string')
      this.#respondWithError(
        { seq: Number.isSafeInteger(seq) ? seq : 0, command: typeof command === 'string' ? command : '' },
        new DapError('TT_DAP_REQUEST', 'a request has a number, seq, and a command'),
      );
    else this.handleMessage(message as DebugProtocol.Request);
  }

  emitEvent(event: string, body: object = {}): void {
    this.sendEvent(new Event(event, body));
  }

  /** Gives up what is being answered; a request that is not any more is none. */
  cancel(seq: number): void {
    this.#pending.get(seq)?.abort();
  }

  end(): void {
    this.#hasEnded = true;
    for (const each of this.#pending.values()) each.abort();
  }

  toClientLine(line: number): number {
    return this.convertDebuggerLineToClient(line);
  }

  fromClientLine(line: number): number {
    return this.convertClientLineToDebugger(line);
  }

  toClientColumn(column: number): number {
    return this.convertDebuggerColumnToClient(column);
  }

  fromClientColumn(column: number): number {
    return this.convertClientColumnToDebugger(column);
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    // The library has to read how the client counts; that paths are paths, it wants to be told.
    if (request.command !== 'initialize') void this.#handle(request);
    else {
      const { arguments: args } = request as { readonly arguments?: unknown };
      const isObject = typeof args === 'object' && args !== null;
      super.dispatchRequest({ ...request, arguments: { pathFormat: 'path', ...(isObject ? args : {}) } });
    }
  }

  protected override initializeRequest(
    { request_seq: seq, command }: DebugProtocol.InitializeResponse,
    args: DebugProtocol.InitializeRequestArguments,
  ): void {
    void this.#handle({ type: 'request', seq, command, arguments: args });
  }

  async #handle(request: DebugProtocol.Request): Promise<void> {
    const { seq, command, arguments: args = {} } = request as DebugProtocol.Request & { readonly arguments?: unknown };
    const handler = this.#requests.handlerOf(command);
    if (handler instanceof DapError) return this.#respondWithError(request, handler);
    if (this.#pending.has(seq) || this.#pending.size >= MAX_PENDING_REQUESTS) {
      const subject = this.#pending.has(seq) ? `request ${seq}` : `${MAX_PENDING_REQUESTS} requests`;
      return this.#respondWithError(
        request,
        new DapError('TT_DAP_REQUEST', `${subject} is being answered: another one has to wait`),
      );
    }
    const controller = new AbortController();
    this.#pending.set(seq, controller);
    const callbacks: (() => void)[] = [];
    try {
      const dapRequest: DapRequest = {
        args: new RequestArguments(`${command}: arguments`, args ?? {}),
        signal: controller.signal,
        seq,
        afterResponse: (callback) => void callbacks.push(callback),
      };
      const body = await handler(dapRequest);
      const response: DebugProtocol.Response = new Response(request);
      if (typeof body === 'object') response.body = body;
      this.sendResponse(response);
    } catch (error) {
      const isCancelled = controller.signal.aborted;
      this.#respondWithError(request, isCancelled ? new DapError('TT_DAP_CANCELLED', 'cancelled') : error);
      return;
    } finally {
      this.#pending.delete(seq);
    }
    for (const callback of callbacks) callback();
  }

  #respondWithError({ seq, command }: { readonly seq: unknown; readonly command: string }, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const request = { type: 'request', seq: seq as number, command } as DebugProtocol.Request;
    const response: DebugProtocol.Response = new Response(request, message);
    // What was given up is known, and what comes of an expression is shown where it stands.
    const isCancelled = error instanceof DapError && error.code === 'TT_DAP_CANCELLED';
    const shouldShowUser = !isCancelled && command !== 'evaluate';
    const format = message.replaceAll('{', '(').replaceAll('}', ')');
    response.body = { error: { id: 1, format, showUser: shouldShowUser } };
    this.sendResponse(response);
  }

  /** There is nobody whom this could be the answer to. */
  #reportMalformed(problem: string): void {
    this.emitEvent('output', { category: 'console', output: `not understood: ${problem}\n` });
  }
}
