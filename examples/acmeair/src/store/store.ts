// Where records are kept: the one thing the airline asks of a database. A condition names fields of KEYS (keys.ts), or `_id`, and holds where all of them are equal.

import type { Collection, Records } from '../model.ts';

export type Where<C extends Collection> = C extends Collection ? Readonly<Partial<TextFields<Records[C]>>> : never;

type TextFields<R> = { readonly [K in keyof R as R[K] extends string ? K : never]: R[K] };

export interface Store {
  /** Which database it is, for people. */
  readonly kind: string;
  insert<C extends Collection>(collection: C, records: readonly Records[C][]): Promise<void>;
  find<C extends Collection>(collection: C, id: string): Promise<Records[C] | undefined>;
  findBy<C extends Collection>(collection: C, where: Where<C>): Promise<Records[C][]>;
  /** Replaces the record with the same `_id`; answers whether there was one. */
  update<C extends Collection>(collection: C, record: Records[C]): Promise<boolean>;
  /** Answers how many there were. */
  remove<C extends Collection>(collection: C, where: Where<C>): Promise<number>;
  count(collection: Collection): Promise<number>;
  close(): Promise<void>;
}
