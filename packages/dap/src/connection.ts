// The connection to one DAP client. It responds to every request exactly once, in any order, with a body or an error,
// and supports cancellation of each. Malformed messages are reported and do not end the connection.
import { DebugSession, Event, Response } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { isNestedTooDeep, NESTING_PROBLEM } from '@turntable/time-machine/protocol';
import { DapError } from './dap-error.ts';
import { RequestArguments } from './request-arguments.ts';

/** A request in progress. */
export interface DapRequest {
  readonly args: RequestArguments;
  readonly signal: AbortSignal;
  /** The sequence number of the request, which the client passes to cancel it. */
  readonly seq: number;
  /** @param callback called after a successful response has been sent; never called if the request fails */
  afterResponse(callback: () => void): void;
}

/** Handles one command. Returns the body of the response, or undefined for a response without a body. */
export type DapRequestHandler = (request: DapRequest) => object | void | Promise<object | void>;

export interface DapRequests {
  /** Returns the handler of a command, or the error if the command is unknown or not allowed at this stage. */
  handlerOf(command: string): DapRequestHandler | DapError;
}

/** Conversion between this debugger's line and column numbers, which start at 1, and the client's. */
export interface LineNumbering {
  toClientLine(line: number): number;
  fromClientLine(line: number): number;
  toClientColumn(column: number): number;
  fromClientColumn(column: number): number;
}

/** Maximum number of requests in progress; further requests are refused. */
const MAX_PENDING_REQUESTS = 64;

/** Requests that clients send by themselves to show a stop. */
const VIEW_REQUESTS: ReadonlySet<string> = new Set(['stackTrace', 'scopes', 'variables', 'exceptionInfo']);

type RawMessage = Readonly<Record<string, unknown>>;

export class Connection extends DebugSession implements LineNumbering {
  readonly #requests: DapRequests;
  readonly #pending = new Map<number, AbortController>();
  #hasEnded = false;

  /** @param send receives each message of the adapter as JSON */
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
    if (isNestedTooDeep(text)) {
      this.#reportMalformed(NESTING_PROBLEM);
      return;
    }
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#reportMalformed('a message must be valid JSON');
      return;
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message)) {
      this.#reportMalformed('a message must be an object');
      return;
    }
    const { type, seq, command } = message as RawMessage;
    if (type === 'response') this.handleMessage(message as DebugProtocol.Response);
    else if (type !== 'request')
      this.#reportMalformed(`the type of a message must be "request" or "response", not ${JSON.stringify(type)}`);
    else if (!Number.isSafeInteger(seq) || typeof command !== 'string')
      this.#respondWithError(
        { seq: Number.isSafeInteger(seq) ? seq : 0, command: typeof command === 'string' ? command : '' },
        new DapError('TT_DAP_REQUEST', 'a request must have an integer seq and a string command'),
      );
    else this.handleMessage(message as DebugProtocol.Request);
  }

  emitEvent(event: string, body: object = {}): void {
    this.sendEvent(new Event(event, body));
  }

  /** Aborts a request in progress. Does nothing if the response has been sent. */
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
    // `DebugSession` reads the client's line numbering from `initialize`, and requires a path format there.
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
      const problem = this.#pending.has(seq)
        ? `request ${seq} is still open; use another seq`
        : `${MAX_PENDING_REQUESTS} requests are open, the maximum; wait for a response`;
      return this.#respondWithError(request, new DapError('TT_DAP_REQUEST', problem));
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
    // Clients know which requests they have cancelled, show the error of an expression beside the expression, and
    // request frames and variables that a move has just ended.
    const code = error instanceof DapError ? error.code : undefined;
    const isStale = code === 'TT_DAP_NOT_THERE' && VIEW_REQUESTS.has(command);
    const shouldShowUser = code !== 'TT_DAP_CANCELLED' && command !== 'evaluate' && !isStale;
    const format = message.replaceAll('{', '(').replaceAll('}', ')');
    response.body = { error: { id: 1, format, showUser: shouldShowUser } };
    this.sendResponse(response);
  }

  /** Reports a malformed message to the client's console, since there is no request to respond to. */
  #reportMalformed(problem: string): void {
    this.emitEvent('output', { category: 'console', output: `malformed message: ${problem}\n` });
  }
}
