// The bookmarks of the recording, with notes. The server stores them next to the recording and shares them with all
// clients.
import { RequestError } from '@turntable/time-machine/client';
import { ERROR_CODES, type BookmarkInfo } from '@turntable/time-machine/protocol';
import type { SessionPort } from './session-port.ts';

interface SessionFields {
  readonly bookmarks: readonly BookmarkInfo[];
}

export class BookmarksModel {
  readonly #session: SessionPort<SessionFields>;

  constructor(session: SessionPort<SessionFields>) {
    this.#session = session;
  }

  async load(): Promise<void> {
    try {
      this.#session.store.update(await this.#session.request('bookmarks', {}));
    } catch (error) {
      // Servers of earlier versions have no bookmarks.
      if (!(error instanceof RequestError && error.code === ERROR_CODES.method)) this.#session.showError(error);
    }
  }

  async add(note: string): Promise<void> {
    this.#session.showPanes({ left: 'bookmarks' });
    await this.#requestAndReload(() => this.#session.request('setBookmark', { note }));
  }

  async setNote(id: number, note: string): Promise<void> {
    await this.#requestAndReload(() => this.#session.request('setBookmark', { id, note }));
  }

  async remove(id: number): Promise<void> {
    await this.#requestAndReload(() => this.#session.request('removeBookmark', { id }));
  }

  /** Makes a change, then reloads all bookmarks, since other clients may have changed some. */
  async #requestAndReload(request: () => Promise<unknown>): Promise<void> {
    try {
      await request();
    } catch (error) {
      this.#session.showError(error);
    }
    await this.load();
  }
}
