// Store on a PostgreSQL server, with the same tables as in SQLite.

import { Pool, type QueryResult } from 'pg';
import type { Collection, Records } from '../model.ts';
import { COLLECTIONS, KEYS } from './keys.ts';
import type { Store, Where } from './store.ts';

/** Rows per insert statement. */
const BATCH_SIZE = 500;

export class PostgresStore implements Store {
  readonly kind = 'postgres';
  readonly #pool: Pool;

  #tables: Promise<void> | undefined;

  constructor(url: string) {
    this.#pool = new Pool({ connectionString: url, max: 10 });
  }

  async insert<C extends Collection>(collection: C, records: readonly Records[C][]): Promise<void> {
    const columns = ['_id', ...KEYS[collection], 'content'];
    for (let from = 0; from < records.length; from += BATCH_SIZE) {
      const values: string[] = [];
      const rows = records.slice(from, from + BATCH_SIZE).map((record) => {
        const row = [record._id, ...KEYS[collection].map((key) => String(record[key])), JSON.stringify(record)];
        return `(${row.map((value) => `$${values.push(value)}`).join(', ')})`;
      });
      await this.#query(
        `insert into ${quoteIdentifier(collection)} (${columns.map(quoteIdentifier).join(', ')}) values ${rows.join(', ')}`,
        values,
      );
    }
  }

  async find<C extends Collection>(collection: C, id: string): Promise<Records[C] | undefined> {
    return (await this.#select<C>(collection, { _id: id }))[0];
  }

  findBy<C extends Collection>(collection: C, where: Where<C>): Promise<Records[C][]> {
    return this.#select(collection, where);
  }

  async update<C extends Collection>(collection: C, record: Records[C]): Promise<boolean> {
    const columns = [
      ...KEYS[collection].map((key) => [key, String(record[key])] as const),
      ['content', JSON.stringify(record)] as const,
    ];
    const set = columns.map(([column], i) => `${quoteIdentifier(column)} = $${i + 2}`).join(', ');
    const { rowCount } = await this.#query(`update ${quoteIdentifier(collection)} set ${set} where _id = $1`, [
      record._id,
      ...columns.map(([, value]) => value),
    ]);
    return rowCount === 1;
  }

  async remove<C extends Collection>(collection: C, where: Where<C>): Promise<number> {
    const { condition, values } = conditionOf(where);
    const { rowCount } = await this.#query(`delete from ${quoteIdentifier(collection)} where ${condition}`, values);
    return rowCount ?? 0;
  }

  async count(collection: Collection): Promise<number> {
    const { rows } = await this.#query<{ readonly count: string }>(
      `select count(*) from ${quoteIdentifier(collection)}`,
    );
    return Number(rows[0]?.count);
  }

  async #select<C extends Collection>(collection: C, where: object): Promise<Records[C][]> {
    const { condition, values } = conditionOf(where);
    const { rows } = await this.#query<{ readonly content: Records[C] }>(
      `select content from ${quoteIdentifier(collection)} where ${condition} order by place`,
      values,
    );
    return rows.map(({ content }) => content);
  }

  async #query<R extends object>(sql: string, values: readonly string[] = []): Promise<QueryResult<R>> {
    await (this.#tables ??= this.#createTables());
    return this.#pool.query<R>(sql, [...values]);
  }

  async #createTables(): Promise<void> {
    for (const collection of COLLECTIONS) {
      const keys = KEYS[collection];
      const columns = [
        '_id text primary key',
        'place bigint generated always as identity',
        ...keys.map((key) => `${quoteIdentifier(key)} text not null`),
        'content json not null',
      ];
      const table = quoteIdentifier(collection);
      await this.#pool.query(`create table if not exists ${table} (${columns.join(', ')})`);
      if (keys.length === 0) continue;
      const index = quoteIdentifier(`${collection}_keys`);
      await this.#pool.query(
        `create index if not exists ${index} on ${table} (${keys.map(quoteIdentifier).join(', ')})`,
      );
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

function quoteIdentifier(name: string): string {
  return `"${name}"`;
}

function conditionOf(where: object): { readonly condition: string; readonly values: string[] } {
  const fields = Object.entries(where) as [string, string][];
  const condition = fields.map(([key], i) => `${quoteIdentifier(key)} = $${i + 1}`).join(' and ');
  return { condition, values: fields.map(([, value]) => value) };
}
