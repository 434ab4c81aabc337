// The client's end of the protocol: requests with their answers, and notifications. It runs in Node and in browsers and
// knows nothing of the time machine but the protocol.
import { METHODS, SERVER_NOTIFICATIONS, PROTOCOL_VERSION } from '../protocol.ts';
import type { MethodName, NotificationName, NotificationOf, ParamsOf, ResultOf } from '../protocol.ts';
import { validationError } from '../protocol/schema.ts';
import { webSocketWire } from '../protocol/web-socket-wire.ts';
import type { Wire } from '../protocol/wire.ts';

/** Failure of a request: the error that the server answered, or the reason why there is no answer. */
export class RequestError extends Error {
  /** One of `ERROR_CODES`; 0 if the wire was closed or the answer is invalid. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'RequestError';
    this.code = code;
  }
}

interface PendingRequest {
  readonly method: MethodName;
  readonly resolve: (result: never) => void;
  readonly reject: (error: RequestError) => void;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

export interface RequestOptions {
  /** Cancels the request. The promise still settles only when the server has answered, usually with an error. */
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
  readonly #pending = new Map<number, PendingRequest>();
  #lastId = 0;
  #closeReason: string | undefined;
  /** The last move of another client, until it is passed to `onMoved`. */
  #pendingMove: NotificationOf<'moved'> | undefined;
  /** The reason why the server cannot open the recording; undefined unless it has sent one. */
  refused: NotificationOf<'refused'> | undefined;
  /** Called after moves of other clients with the last of them, when earlier answers have reached their callers. */
  onMoved: (moved: NotificationOf<'moved'>) => void = () => {};
  onClose: (reason: string) => void = () => {};

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#listen(wire);
  }

  /** Continues with another wire after the first one was closed. The caller must start with `hello`. */
  reconnect(wire: Wire): void {
    this.#wire = wire;
    this.#closeReason = this.#pendingMove = undefined;
    this.#listen(wire);
  }

  #listen(wire: Wire): void {
    wire.onClose((reason) => {
      if (wire !== this.#wire) return;
      this.#end(reason);
      this.onClose(reason);
    });
    wire.onText((text) => this.#receive(JSON.parse(text) as Message));
  }

  /** Connects to a server at an address; rejects if the connection fails or is refused. */
  static async connect(address: string): Promise<Client> {
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
    const id = ++this.#lastId;
    return new Promise<ResultOf<M>>((settle, reject) => {
      if (this.#closeReason !== undefined) {
        reject(new RequestError(0, `no answer: ${this.#closeReason}`));
        return;
      }
      const cancel = (): void => this.#send({ method: 'cancel', params: { id } });
      const removeAbortListener = (): void => signal?.removeEventListener('abort', cancel);
      const fail = (error: RequestError): void => {
        removeAbortListener();
        reject(error);
      };
      const succeed = (result: ResultOf<M>): void => {
        removeAbortListener();
        settle(result);
      };
      this.#pending.set(id, { method, resolve: succeed, reject: fail, onProgress });
      this.#send({ id, method, params });
      if (signal?.aborted === true) cancel();
      else signal?.addEventListener('abort', cancel);
    });
  }

  close(): void {
    this.#end('the client closed the connection');
    this.#wire.close();
  }

  #end(reason: string): void {
    this.#closeReason ??= reason;
    for (const { reject } of this.#pending.values()) reject(new RequestError(0, `no answer: ${reason}`));
    this.#pending.clear();
  }

  #send(message: object): void {
    this.#wire.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #receive({ id, result, error, method, params }: Message): void {
    this.#reportMove();
    if (method !== undefined) {
      this.#handleNotification(method, params);
      return;
    }
    const pending = this.#pending.get(id ?? 0);
    if (pending === undefined) return;
    this.#pending.delete(id ?? 0);
    const problem = error === undefined ? validationError(METHODS[pending.method].result, result, 'result') : undefined;
    if (error !== undefined) pending.reject(new RequestError(error.code, error.message));
    else if (problem !== undefined)
      pending.reject(new RequestError(0, `invalid answer to ${pending.method}: ${problem}`));
    else pending.resolve(result as never);
  }

  #reportMove(): void {
    const moved = this.#pendingMove;
    this.#pendingMove = undefined;
    if (moved !== undefined && this.#closeReason === undefined) this.onMoved(moved);
  }

  /** Handles a notification of the server. Unknown ones are ignored, since a later version may have more. */
  #handleNotification(method: string, params: unknown): void {
    if (!Object.hasOwn(SERVER_NOTIFICATIONS, method)) return;
    const name = method as NotificationName;
    if (validationError(SERVER_NOTIFICATIONS[name].params, params, 'params') !== undefined) return;
    if (name === 'moved') {
      this.#pendingMove = params as NotificationOf<'moved'>;
      setTimeout(() => this.#reportMove());
    } else if (name === 'refused') this.refused = params as NotificationOf<'refused'>;
    else {
      const { id, done, total } = params as NotificationOf<'progress'>;
      this.#pending.get(id)?.onProgress?.(done, total);
    }
  }
}
