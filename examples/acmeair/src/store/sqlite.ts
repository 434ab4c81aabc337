// Store in the process, in a file or in memory. Each collection is a table with its keys as columns and the record as
// JSON.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Collection, Records } from '../model.ts';
import { COLLECTIONS, KEYS } from './keys.ts';
import type { Store, Where } from './store.ts';

/** Time limit for locks: the authentication service may be writing to the same file. */
const BUSY_TIMEOUT_MS = 5000;

export class SqliteStore implements Store {
  readonly kind = 'sqlite';
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    this.#database.exec('pragma journal_mode = wal; pragma synchronous = normal');
    for (const collection of COLLECTIONS) {
      const keys = KEYS[collection];
      const columns = ['_id text primary key', ...keys.map((key) => `${key} text not null`), 'content text not null'];
      this.#database.exec(`create table if not exists ${collection} (${columns.join(', ')})`);
      if (keys.length > 0)
        this.#database.exec(`create index if not exists ${collection}_keys on ${collection} (${keys.join(', ')})`);
    }
  }

  async insert<C extends Collection>(collection: C, records: readonly Records[C][]): Promise<void> {
    const keys = ['_id', ...KEYS[collection]];
    const insert = this.#statement(
      `insert into ${collection} (${keys.join(', ')}, content) values (${'?, '.repeat(keys.length)}?)`,
    );
    if (records.length > 1) this.#database.exec('begin');
    try {
      for (const record of records) insert.run(...keysOf(collection, record), JSON.stringify(record));
      if (records.length > 1) this.#database.exec('commit');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  async find<C extends Collection>(collection: C, id: string): Promise<Records[C] | undefined> {
    const row = this.#statement(`select content from ${collection} where _id = ?`).get(id);
    return row && recordOf<C>(row);
  }

  async findBy<C extends Collection>(collection: C, where: Where<C>): Promise<Records[C][]> {
    const { condition, values } = conditionOf(where);
    const rows = this.#statement(`select content from ${collection} where ${condition} order by rowid`).all(...values);
    return rows.map((row) => recordOf<C>(row));
  }

  async update<C extends Collection>(collection: C, record: Records[C]): Promise<boolean> {
    const set = [...KEYS[collection], 'content'].map((column) => `${column} = ?`).join(', ');
    const [id = '', ...keys] = keysOf(collection, record);
    const update = this.#statement(`update ${collection} set ${set} where _id = ?`);
    return update.run(...keys, JSON.stringify(record), id).changes > 0;
  }

  async remove<C extends Collection>(collection: C, where: Where<C>): Promise<number> {
    const { condition, values } = conditionOf(where);
    return Number(this.#statement(`delete from ${collection} where ${condition}`).run(...values).changes);
  }

  async count(collection: Collection): Promise<number> {
    return Number(this.#statement(`select count(*) as count from ${collection}`).get()?.['count']);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

function keysOf<C extends Collection>(collection: C, record: Records[C]): string[] {
  return [record._id, ...KEYS[collection].map((key) => String(record[key]))];
}

function conditionOf(where: object): { readonly condition: string; readonly values: readonly string[] } {
  const fields = Object.entries(where) as [string, string][];
  return { condition: fields.map(([key]) => `${key} = ?`).join(' and '), values: fields.map(([, value]) => value) };
}

function recordOf<C extends Collection>(row: Record<string, unknown>): Records[C] {
  return JSON.parse(row['content'] as string) as Records[C];
}
