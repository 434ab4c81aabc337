// The program's object for a request. Method and URL are known from the start. Other properties are fetched at their
// first use, and copies of objects are kept.
import { getProperty, isHandle } from 'turntable/data-source';

type CreateRequest = (...facts: readonly unknown[]) => object;

/**
 * Makes the class for requests. Its instances inherit from Fastify's prototype, a handle, all members that are not
 * defined here: `raw`, `log`, decorators.
 */
export function createRequestClass(prototype: object): CreateRequest {
  class Request {
    readonly #method: unknown;
    readonly #url: unknown;
    /** Copies of fetched objects, by property name. */
    #data: Record<string, unknown> | undefined = undefined;

    constructor(method: unknown, url: unknown) {
      this.#method = method;
      this.#url = url;
    }

    get method(): unknown {
      return this.#method;
    }

    get url(): unknown {
      return this.#url;
    }

    get body(): unknown {
      return this.#readField('body');
    }
    set body(value: unknown) {
      this.#writeField('body', value);
    }

    get query(): unknown {
      return this.#readField('query');
    }
    set query(value: unknown) {
      this.#writeField('query', value);
    }

    get params(): unknown {
      return this.#readField('params');
    }
    set params(value: unknown) {
      this.#writeField('params', value);
    }

    get headers(): unknown {
      return this.#readField('headers');
    }
    set headers(value: unknown) {
      this.#writeField('headers', value);
    }

    /** Cookies of the request, which the plugin `@fastify/cookie` defines. */
    get cookies(): unknown {
      return this.#readField('cookies');
    }
    set cookies(value: unknown) {
      this.#writeField('cookies', value);
    }

    #readField(name: string): unknown {
      if (this.#data !== undefined && name in this.#data) return this.#data[name];
      const value = getProperty(this, name);
      // A handle is not kept, because it is live and may change.
      if (typeof value === 'object' && value !== null && !isHandle(value))
        (this.#data ??= createNullObject())[name] = value;
      return value;
    }

    #writeField(name: string, value: unknown): void {
      if (this.#data !== undefined) Reflect.deleteProperty(this.#data, name);
      Reflect.set(prototype, name, value, this);
    }
  }
  Object.setPrototypeOf(Request.prototype, prototype);
  return (method, url) => new Request(method, url);
}

function createNullObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
