// Sessions of logged-in customers: an actor of the airline's process, or the same actor in its own process
// (auth-main.ts).

import { randomUUID } from 'node:crypto';
import { Actor, type FarRef } from 'turntable';
import type { Session } from '../model.ts';
import type { Database } from './database.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Interface that the web service needs, for a local actor or a remote service. */
export interface Authentication {
  open(customerId: string): Promise<Session>;
  /** Returns undefined if there is no such session or it has expired. */
  validate(id: string): Promise<Session | undefined>;
  close(id: string): Promise<void>;
}

export class Sessions extends Actor {
  readonly #database: FarRef<Database>;

  constructor(database: FarRef<Database>) {
    super();
    this.#database = database;
  }

  async open(customerId: string): Promise<Session> {
    const now = Date.now();
    const session: Session = {
      _id: randomUUID(),
      customerid: customerId,
      lastAccessedTime: new Date(now).toISOString(),
      timeoutTime: new Date(now + DAY).toISOString(),
    };
    await this.#database.insert('customerSession', [session]);
    return session;
  }

  async validate(id: string): Promise<Session | undefined> {
    const session = await this.#database.find('customerSession', id);
    if (session === undefined || Date.parse(session.timeoutTime) > Date.now()) return session;
    await this.close(id);
    return undefined;
  }

  async close(id: string): Promise<void> {
    await this.#database.remove('customerSession', { _id: id });
  }
}
