// Database interface of the airline. A condition names fields of KEYS (keys.ts), or `_id`, all of which must be equal.

import type { Collection, Records } from '../model.ts';

export type Where<C extends Collection> = C extends Collection ? Readonly<Partial<TextFields<Records[C]>>> : never;

type TextFields<R> = { readonly [K in keyof R as R[K] extends string ? K : never]: R[K] };

export interface Store {
  /** Display name of the database. */
  readonly kind: string;
  insert<C extends Collection>(collection: C, records: readonly Records[C][]): Promise<void>;
  find<C extends Collection>(collection: C, id: string): Promise<Records[C] | undefined>;
  findBy<C extends Collection>(collection: C, where: Where<C>): Promise<Records[C][]>;
  /** Replaces the record with the same `_id`; returns whether it existed. */
  update<C extends Collection>(collection: C, record: Records[C]): Promise<boolean>;
  /** Returns the number of removed records. */
  remove<C extends Collection>(collection: C, where: Where<C>): Promise<number>;
  count(collection: Collection): Promise<number>;
  close(): Promise<void>;
}
