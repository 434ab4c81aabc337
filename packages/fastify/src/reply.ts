// The program's object for a reply. Its methods act on the host's reply; during replay they do nothing.
import { invoke } from 'turntable/data-source';

type CreateReply = (...facts: readonly unknown[]) => object;
type ThenCallback = (value?: unknown) => unknown;

/**
 * The class for replies below a prototype of Fastify, a handle that provides all other members: `raw`, `log`,
 * `getHeader`, decorators.
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

    /** An async handler may return the reply itself. */
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
