// Places that somebody wants to find again, with notes. They are the server's, which keeps them beside the recording.
import { RequestError } from '@turntable/time-machine/client';
import { ERRORS, type ToldBookmark } from '@turntable/time-machine/protocol';
import type { SessionPort } from './session-port.ts';

interface SessionFields {
  readonly bookmarks: readonly ToldBookmark[];
}

export class Bookmarks {
  readonly #session: SessionPort<SessionFields>;

  constructor(session: SessionPort<SessionFields>) {
    this.#session = session;
  }

  async read(): Promise<void> {
    try {
      this.#session.store.put(await this.#session.request('bookmarks', {}));
    } catch (error) {
      // An earlier server has none.
      if (!(error instanceof RequestError && error.code === ERRORS.method)) this.#session.tell(error);
    }
  }

  async add(note: string): Promise<void> {
    this.#session.show({ left: 'bookmarks' });
    await this.#try(() => this.#session.request('bookmark', { note }));
  }

  async say(id: number, note: string): Promise<void> {
    await this.#try(() => this.#session.request('bookmark', { id, note }));
  }

  async remove(id: number): Promise<void> {
    await this.#try(() => this.#session.request('unbookmark', { id }));
  }

  /** Then all of them anew: others may have made some. */
  async #try(ask: () => Promise<unknown>): Promise<void> {
    try {
      await ask();
    } catch (error) {
      this.#session.tell(error);
    }
    await this.read();
  }
}
