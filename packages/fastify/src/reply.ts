// The program's object for a reply. Its methods act on the host's reply. In a replay they have no effect.
import { invoke } from 'turntable/data-source';

type CreateReply = (...facts: readonly unknown[]) => object;
type ThenCallback = (value?: unknown) => unknown;

/**
 * Makes the class for replies. Its instances inherit from Fastify's prototype, a handle, all members that are not
 * defined here: `raw`, `log`, `getHeader`, decorators.
 */
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

    /** Makes a reply awaitable, because an async handler may return it. */
    then(onFulfilled?: ThenCallback, onRejected?: ThenCallback): unknown {
      if (Reflect.get(prototype, 'sent', this) === true) return void onFulfilled?.();
      return Reflect.apply(Reflect.get(prototype, 'then', this) as ThenCallback, this, [
        onFulfilled,
        onRejected,
      ] as never);
    }
  }
  Object.setPrototypeOf(Reply.prototype, prototype);
  return (request) => new Reply(request);
}
