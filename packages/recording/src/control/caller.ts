// Somebody who asks a recorded process something. Whatever that one does (ask without end, send half a line, never read, go away), it costs the thread that answers a question at a time with a
// pause behind each, and the memory of one answer.
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { CONTROL_ERRORS, CONTROL_METHODS, LONGEST_QUESTION, type ControlMethod } from './messages.ts';

/** Milliseconds without a question. */
const IDLE = 30_000;
/** Milliseconds between two answers: who asks without end gets a hundred in a second. */
const PAUSE = 10;

export type Answering = (method: ControlMethod) => Promise<object>;

export class Caller {
  readonly #socket: Socket;
  readonly #answering: Answering;
  #rest = '';
  #isBusy = false;

  constructor(socket: Socket, answering: Answering) {
    this.#socket = socket;
    this.#answering = answering;
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', (text: string) => {
      this.#rest += text;
      if (!this.#isBusy) void this.#serve();
    });
    socket.setTimeout(IDLE, () => {
      if (!this.#isBusy) socket.destroy();
    });
  }

  /** Whether it waits for an answer. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  async #serve(): Promise<void> {
    this.#isBusy = true;
    this.#socket.pause();
    for (let line = this.#line(); line !== undefined && !this.#socket.destroyed; line = this.#line()) {
      await this.#send(await this.#answerTo(line));
      await delay(PAUSE);
    }
    this.#isBusy = false;
    if (this.#rest.length > LONGEST_QUESTION) this.#socket.destroy();
    else this.#socket.resume();
  }

  #line(): string | undefined {
    const end = this.#rest.indexOf('\n');
    if (end === -1) return undefined;
    const line = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + 1);
    return line;
  }

  async #answerTo(line: string): Promise<object> {
    if (line.length > LONGEST_QUESTION) return failure(null, CONTROL_ERRORS.request, 'that is too long');
    let asked: { readonly jsonrpc?: unknown; readonly id?: unknown; readonly method?: unknown };
    try {
      asked = Object(JSON.parse(line)) as typeof asked;
    } catch {
      return failure(null, CONTROL_ERRORS.parse, 'a message is one JSON text in a line');
    }
    const { jsonrpc, id, method } = asked;
    if (jsonrpc !== '2.0' || !Number.isSafeInteger(id))
      return failure(null, CONTROL_ERRORS.request, 'a message is a request of JSON-RPC 2.0 whose id is an integer');
    const known = CONTROL_METHODS.find((each) => each === method);
    if (known === undefined)
      return failure(id, CONTROL_ERRORS.method, `there is no such method; there are ${CONTROL_METHODS.join(', ')}`);
    try {
      return { id, result: await this.#answering(known) };
    } catch (error) {
      return failure(id, CONTROL_ERRORS.refused, error instanceof Error ? error.message : String(error));
    }
  }

  /** Settles when it is out, or nobody is there any more. */
  #send(message: object): Promise<void> {
    return new Promise((settle) => {
      if (this.#socket.destroyed) settle();
      else this.#socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`, () => settle());
    });
  }
}

function failure(id: unknown, code: number, message: string): object {
  return { id, error: { code, message } };
}
