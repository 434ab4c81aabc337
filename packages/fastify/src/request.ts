// The program's object for a request: method and URL came with it, the rest is asked for when it is read, and what has been read of its data is kept.
import { ask, isHandle } from 'turntable/data-source';

type Make = (...facts: readonly unknown[]) => object;

/** For those below one prototype of Fastify's, a handle, which has what these have not: `raw`, `log`, decorators, what plugins add. */
export function requestBelow(above: object): Make {
  class Request {
    readonly #method: unknown;
    readonly #url: unknown;
    /** Copies of its data, by their names. */
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
      return this.#read('body');
    }
    set body(value: unknown) {
      this.#write('body', value);
    }

    get query(): unknown {
      return this.#read('query');
    }
    set query(value: unknown) {
      this.#write('query', value);
    }

    get params(): unknown {
      return this.#read('params');
    }
    set params(value: unknown) {
      this.#write('params', value);
    }

    get headers(): unknown {
      return this.#read('headers');
    }
    set headers(value: unknown) {
      this.#write('headers', value);
    }

    /** Of `@fastify/cookie`. */
    get cookies(): unknown {
      return this.#read('cookies');
    }
    set cookies(value: unknown) {
      this.#write('cookies', value);
    }

    #read(name: string): unknown {
      if (this.#data !== undefined && name in this.#data) return this.#data[name];
      const value = ask(this, name);
      // As long as it is alive outside it may become something else.
      if (typeof value === 'object' && value !== null && !isHandle(value)) (this.#data ??= bare())[name] = value;
      return value;
    }

    #write(name: string, value: unknown): void {
      if (this.#data !== undefined) Reflect.deleteProperty(this.#data, name);
      Reflect.set(above, name, value, this);
    }
  }
  Object.setPrototypeOf(Request.prototype, above);
  return (method, url) => new Request(method, url);
}

function bare(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
