// Delays the responses of this thread's HTTP servers until the events that they depend on are written. The bytes of a
// response wait in front of its socket, so this holds for every framework. Responses of one round of the event loop
// share one flush. A disk that does not answer delays a response only up to a deadline.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Durability } from '@turntable/loader';
import type { FileTraceSink } from '@turntable/recording';

/** Property of a response with its durability. The name is part of the contract for data sources. */
const DURABILITY = Symbol.for('turntable.durability');

// The native functions, read before the program can replace them.
const { getBuiltinModule } = process;
const { setImmediate: nativeSetImmediate, setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;

const REQUEST_CHANNEL = 'http.server.request.start';
/** Maximum time for which a response waits for the disk. */
const DEADLINE_MS = 10_000;

type WriteFunction = (this: Socket, ...args: unknown[]) => unknown;
interface HttpSocket extends Socket {
  /** The response that is being sent. */
  readonly _httpMessage?: object | null;
}

export class ReplyDurability {
  readonly #sink: FileTraceSink;
  readonly #default: Durability;
  readonly #levels = new WeakMap<object, Durability>();
  readonly #sockets = new WeakSet<Socket>();
  /** Batches of this round of the event loop, by whether they are synced. */
  readonly #batches = new Map<boolean, Promise<void>>();
  /** Writes that wait. */
  readonly #waiting = new Set<() => void>();
  #isPropertyDefined = false;
  #hasWarned = false;

  /** @param defaultLevel durability of responses without a level of their own */
  constructor(sink: FileTraceSink, defaultLevel: Durability) {
    this.#sink = sink;
    this.#default = defaultLevel;
  }

  /** Delays responses to all requests from now on. */
  install(): void {
    const onRequest = (message: unknown): void => {
      if (!this.#isPropertyDefined) this.#defineProperty();
      if (this.#default === 'none') unsubscribe(REQUEST_CHANNEL, onRequest);
      else this.#delayWrites((message as { readonly socket: Socket }).socket);
    };
    subscribe(REQUEST_CHANNEL, onRequest);
  }

  /** Makes the property of responses with their level effective. `node:http` is loaded by now. */
  #defineProperty(): void {
    this.#isPropertyDefined = true;
    const levels = this.#levels;
    const delayWrites = (socket: Socket): void => this.#delayWrites(socket);
    Object.defineProperty(getBuiltinModule('node:http').ServerResponse.prototype, DURABILITY, {
      configurable: true,
      get(this: ServerResponse) {
        return levels.get(this);
      },
      set(this: ServerResponse, level: Durability) {
        levels.set(this, level);
        if (level !== 'none') delayWrites(this.req.socket);
      },
    });
  }

  /** Sends all responses that wait, because the process ends and its trace is written. */
  release(): void {
    for (const write of this.#waiting) write();
    this.#waiting.clear();
  }

  #delayWrites(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    for (const name of ['_write', '_writev']) {
      const write: unknown = Reflect.get(socket, name);
      // The sockets of injected requests are not streams.
      if (typeof write === 'function') this.#delayCalls(socket, name, write as WriteFunction);
    }
  }

  #delayCalls(socket: HttpSocket, name: string, write: WriteFunction): void {
    const delayed = (...args: unknown[]): void => {
      const level = this.#levels.get(socket._httpMessage ?? socket) ?? this.#default;
      const start = (): unknown => Reflect.apply(write, socket, args);
      if (level === 'none') return void start();
      this.#waiting.add(start);
      void this.#flushed(level === 'reply+fsync').then(() => {
        if (this.#waiting.delete(start)) start();
      });
    };
    Object.defineProperty(socket, name, { value: delayed, writable: true, configurable: true });
  }

  /** Resolves when all events committed in this round of the event loop are written. */
  #flushed(isSynced: boolean): Promise<void> {
    let batch = this.#batches.get(isSynced);
    if (batch === undefined) this.#batches.set(isSynced, (batch = this.#startBatch(isSynced)));
    return batch;
  }

  async #startBatch(isSynced: boolean): Promise<void> {
    await new Promise<void>((resolve) => nativeSetImmediate(resolve));
    this.#batches.delete(isSynced);
    this.#sink.commit();
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = nativeSetTimeout(() => resolve('late'), DEADLINE_MS).unref();
    if ((await Promise.race([this.#sink.flush(isSynced), late])) === 'late') this.#warn();
    nativeClearTimeout(timer);
  }

  #warn(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    process.emitWarning(
      `responses are sent although the events that they depend on are not on the disk after ${DEADLINE_MS / 1000} s; record to a faster disk`,
      { code: 'TT_NOT_DURABLE' },
    );
  }
}
