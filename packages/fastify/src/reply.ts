// The program's object for a reply. What is done to it is done outside, and in a run again nowhere.
import { invoke } from 'turntable/data-source';

type CreateReply = (...facts: readonly unknown[]) => object;
type ThenCallback = (value?: unknown) => unknown;

/** For those below one prototype of Fastify's, a handle, which has what these have not: `raw`, `log`, `getHeader`, what plugins add. */
export function createReplyClass(prototype: object): CreateReply {
  class Reply {
    readonly #request: unknown;

    constructor(request: unknown) {
      this.#request = request;
    }

    get request(): unknown {
      return this.#request;
    }

    code(...args: readonly unknown[]): unknown {
      return invoke(this, 'code', args);
    }
    status(...args: readonly unknown[]): unknown {
      return invoke(this, 'status', args);
    }
    header(...args: readonly unknown[]): unknown {
      return invoke(this, 'header', args);
    }
    headers(...args: readonly unknown[]): unknown {
      return invoke(this, 'headers', args);
    }
    removeHeader(...args: readonly unknown[]): unknown {
      return invoke(this, 'removeHeader', args);
    }
    type(...args: readonly unknown[]): unknown {
      return invoke(this, 'type', args);
    }
    redirect(...args: readonly unknown[]): unknown {
      return invoke(this, 'redirect', args);
    }
    callNotFound(): unknown {
      return invoke(this, 'callNotFound', []);
    }
    send(...args: readonly unknown[]): unknown {
      return invoke(this, 'send', args);
    }

    /** Handlers that are asynchronous may answer the reply itself. */
    then(onFulfilled?: ThenCallback, onRejected?: ThenCallback): unknown {
      if (Reflect.get(prototype, 'sent', this) === true) return onFulfilled?.();
      return Reflect.apply(Reflect.get(prototype, 'then', this) as ThenCallback, this, [
        onFulfilled,
        onRejected,
      ] as never);
    }
  }
  Object.setPrototypeOf(Reply.prototype, prototype);
  return (request) => new Reply(request);
}
