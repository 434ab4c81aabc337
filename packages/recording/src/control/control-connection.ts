// Connection of one client to a recorded process. Whatever a client does (endless requests, unfinished lines, unread
// responses), the writer thread handles one request at a time, with a pause after each, and buffers one response.
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTROL_ERRORS, CONTROL_METHODS, MAX_REQUEST_CHARS, type ControlMethod } from './control-protocol.ts';

/** Time without a request after which the connection is idle. */
const IDLE_TIMEOUT_MS = 30_000;
/** Minimum time between two responses, which limits a client to a hundred requests per second. */
const RESPONSE_INTERVAL_MS = 10;

export type ControlHandler = (method: ControlMethod) => Promise<object>;

export class ControlConnection {
  readonly #socket: Socket;
  readonly #handler: ControlHandler;
  #received = '';
  #isBusy = false;

  constructor(socket: Socket, handler: ControlHandler) {
    this.#socket = socket;
    this.#handler = handler;
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', (chunk: string) => {
      this.#received += chunk;
      if (!this.#isBusy) void this.#serve();
    });
    socket.setTimeout(IDLE_TIMEOUT_MS, () => {
      if (!this.#isBusy) socket.destroy();
    });
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  async #serve(): Promise<void> {
    this.#isBusy = true;
    this.#socket.pause();
    for (let line = this.#nextLine(); line !== undefined && !this.#socket.destroyed; line = this.#nextLine()) {
      await this.#send(await this.#responseTo(line));
      await delay(RESPONSE_INTERVAL_MS);
    }
    this.#isBusy = false;
    if (this.#received.length > MAX_REQUEST_CHARS) this.#socket.destroy();
    else this.#socket.resume();
  }

  #nextLine(): string | undefined {
    const end = this.#received.indexOf('\n');
    if (end === -1) return undefined;
    const line = this.#received.slice(0, end);
    this.#received = this.#received.slice(end + 1);
    return line;
  }

  async #responseTo(line: string): Promise<object> {
    if (line.length > MAX_REQUEST_CHARS) return errorResponse(null, CONTROL_ERRORS.request, 'that is too long');
    let request: { readonly jsonrpc?: unknown; readonly id?: unknown; readonly method?: unknown };
    try {
      request = Object(JSON.parse(line)) as typeof request;
    } catch {
      return errorResponse(null, CONTROL_ERRORS.parse, 'a message must be valid JSON in a line');
    }
    const { jsonrpc, id, method } = request;
    if (jsonrpc !== '2.0' || !Number.isSafeInteger(id))
      return errorResponse(
        null,
        CONTROL_ERRORS.request,
        'a message is a request of JSON-RPC 2.0 whose id is an integer',
      );
    const controlMethod = CONTROL_METHODS.find((each) => each === method);
    if (controlMethod === undefined)
      return errorResponse(
        id,
        CONTROL_ERRORS.method,
        `there is no such method; available: ${CONTROL_METHODS.join(', ')}`,
      );
    try {
      return { id, result: await this.#handler(controlMethod) };
    } catch (error) {
      return errorResponse(id, CONTROL_ERRORS.refused, error instanceof Error ? error.message : String(error));
    }
  }

  /** Resolves when the message is sent, or the client is gone. */
  #send(message: object): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) resolve();
      else this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`, () => resolve());
    });
  }
}

function errorResponse(id: unknown, code: number, message: string): object {
  return { id, error: { code, message } };
}
