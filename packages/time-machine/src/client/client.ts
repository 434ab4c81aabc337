// A client's end of the protocol: requests and their answers, what the server tells unasked. It runs in Node and in windows, and knows of the time machine what the protocol says.
import {
  METHODS,
  NOTIFICATIONS,
  PROTOCOL_VERSION,
  type MethodName,
  type NotificationName,
  type NotificationOf,
  type ParamsOf,
  type ResultOf,
} from '../protocol.ts';
import { problemOf } from '../protocol/schema.ts';
import { webSocketWire } from '../protocol/web-socket-wire.ts';
import type { Wire } from '../protocol/wire.ts';

/** What the server answers instead of a result, or why there is no answer. */
export class RequestError extends Error {
  /** Of `ERRORS`; 0 if the wire was closed. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
  }
}

interface Waiting {
  readonly method: MethodName;
  readonly settle: (result: never) => void;
  readonly fail: (error: RequestError) => void;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

export interface RequestOptions {
  /** Aborted, the request is cancelled; it is answered all the same, with an error that says so. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

interface Message {
  readonly id?: number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
  readonly method?: string;
  readonly params?: unknown;
}

export class Client {
  #wire: Wire;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #closed: string | undefined;
  /** Of a move of somebody else's that `onMoved` has not been told of. */
  #moved: NotificationOf<'moved'> | undefined;
  /** Why there will be no answers, if the server has said so. */
  refused: NotificationOf<'refused'> | undefined;
  /** Another client has moved all: told when whoever waited for an answer that came before has got it, so that what was heard last is where all stand. */
  onMoved: (moved: NotificationOf<'moved'>) => void = () => {};
  /** Nothing comes any more. */
  onClose: (why: string) => void = () => {};

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#listen(wire);
  }

  /** What it was connected to has closed: from here on by another wire. What was not answered stays so, and hello comes first again. */
  reconnect(wire: Wire): void {
    this.#wire = wire;
    this.#closed = this.#moved = undefined;
    this.#listen(wire);
  }

  #listen(wire: Wire): void {
    wire.onClose((why) => {
      if (wire !== this.#wire) return;
      this.#end(why);
      this.onClose(why);
    });
    wire.onText((text) => this.#take(JSON.parse(text) as Message));
  }

  /** Of a time machine elsewhere. Rejects if nobody answers there, or whoever does wants no client. */
  static async at(address: string): Promise<Client> {
    return new Client(await webSocketWire(address));
  }

  hello(client: string): Promise<ResultOf<'hello'>> {
    return this.request('hello', { version: PROTOCOL_VERSION, client });
  }

  request<M extends MethodName>(
    method: M,
    params: ParamsOf<M>,
    { signal, onProgress }: RequestOptions = {},
  ): Promise<ResultOf<M>> {
    const id = ++this.#last;
    return new Promise<ResultOf<M>>((settle, reject) => {
      if (this.#closed !== undefined) {
        reject(new RequestError(0, `no answer: ${this.#closed}`));
        return;
      }
      const cancel = (): void => this.#send({ method: 'cancel', params: { id } });
      const over = (): void => signal?.removeEventListener('abort', cancel);
      const fail = (error: RequestError): void => {
        over();
        reject(error);
      };
      const done = (result: ResultOf<M>): void => {
        over();
        settle(result);
      };
      this.#waiting.set(id, { method, settle: done, fail, onProgress });
      this.#send({ id, method, params });
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener('abort', cancel);
    });
  }

  close(): void {
    this.#end('it was closed here');
    this.#wire.close();
  }

  #end(why: string): void {
    this.#closed ??= why;
    for (const { fail } of this.#waiting.values()) fail(new RequestError(0, `no answer: ${why}`));
    this.#waiting.clear();
  }

  #send(message: object): void {
    this.#wire.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #take({ id, result, error, method, params }: Message): void {
    this.#tellMoved();
    if (method !== undefined) {
      this.#told(method, params);
      return;
    }
    const waiting = this.#waiting.get(id ?? 0);
    if (waiting === undefined) return;
    this.#waiting.delete(id ?? 0);
    const problem = error === undefined ? problemOf(METHODS[waiting.method].result, result, 'result') : undefined;
    if (error !== undefined) waiting.fail(new RequestError(error.code, error.message));
    else if (problem !== undefined) waiting.fail(new RequestError(0, `the answer to ${waiting.method}: ${problem}`));
    else waiting.settle(result as never);
  }

  #tellMoved(): void {
    const moved = this.#moved;
    this.#moved = undefined;
    if (moved !== undefined && this.#closed === undefined) this.onMoved(moved);
  }

  /** What it does not know a later version may say. */
  #told(method: string, params: unknown): void {
    if (!Object.hasOwn(NOTIFICATIONS, method)) return;
    const name = method as NotificationName;
    if (problemOf(NOTIFICATIONS[name].params, params, 'params') !== undefined) return;
    if (name === 'moved') {
      this.#moved = params as NotificationOf<'moved'>;
      setTimeout(() => this.#tellMoved());
    } else if (name === 'refused') this.refused = params as NotificationOf<'refused'>;
    else {
      const { id, done, total } = params as NotificationOf<'progress'>;
      this.#waiting.get(id)?.onProgress?.(done, total);
    }
  }
}
