// The only actor with a database connection. It has the interface of the store, for actors on any worker.

import { Actor, device } from 'turntable';
import type { Collection, Records } from '../model.ts';
import { openStore } from '../store/open.ts';
import type { Store, Where } from '../store/store.ts';

export class Database extends Actor {
  readonly #store: Store;

  constructor(url: string) {
    super();
    // The device is created again when a snapshot is resumed in another process.
    this.#store = device(() => openStore(url), { name: 'the database' });
  }

  kind(): string {
    return this.#store.kind;
  }

  insert<C extends Collection>(collection: C, records: readonly Records[C][]): Promise<void> {
    return this.#store.insert(collection, records);
  }

  find<C extends Collection>(collection: C, id: string): Promise<Records[C] | undefined> {
    return this.#store.find(collection, id);
  }

  findBy<C extends Collection>(collection: C, where: Where<C>): Promise<Records[C][]> {
    return this.#store.findBy(collection, where);
  }

  update<C extends Collection>(collection: C, record: Records[C]): Promise<boolean> {
    return this.#store.update(collection, record);
  }

  remove<C extends Collection>(collection: C, where: Where<C>): Promise<number> {
    return this.#store.remove(collection, where);
  }

  count(collection: Collection): Promise<number> {
    return this.#store.count(collection);
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}
