// Operations between a program and the host, each repeated.

import { Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { deliver } from './host-side.ts';

export const TIMES = 10_000;

const socket = new Socket();
const stream = new PassThrough({ objectMode: true });
let receivedSum = 0;
stream.on('received', (value: number) => {
  receivedSum += value;
});

/** Number of rows per query. */
const ROW_COUNT = 100;
const COLUMNS = 10;
const database = new DatabaseSync(':memory:');
const columns = Array.from({ length: COLUMNS - 1 }, (_, i) => `c${i}`);
database.exec(`create table rows (id integer primary key, ${columns.join(', ')})`);
const insert = database.prepare(`insert into rows values (?, ${columns.map(() => '?').join(', ')})`);
for (let id = 0; id < ROW_COUNT; id++)
  insert.run(id, ...columns.map((name, i) => [id * i, `text ${id} of ${name}`, id / (i + 3)][i % 3] ?? null));
const oneRow = database.prepare('select * from rows where id = ?');
const allRows = database.prepare('select * from rows');
const update = database.prepare('update rows set c0 = ? where id = ?');

function each(operation: (i: number) => unknown): () => number {
  return () => {
    let sum = 0;
    for (let i = 0; i < TIMES; i++) if (operation(i) !== undefined) sum++;
    return sum;
  };
}

export const WORK: Readonly<Record<string, () => unknown>> = {
  'an unchanged property': each(() => socket.destroyed),
  'a property set and read': each((i) => {
    (socket as unknown as { mark: number }).mark = i;
    return (socket as unknown as { mark: number }).mark;
  }),
  'a call': each(() => socket.listenerCount('x')),
  'a call with a callback': () => {
    receivedSum = 0;
    for (let i = 0; i < TIMES; i++) stream.emit('received', 1);
    if (receivedSum !== TIMES) throw new Error(`${receivedSum} of ${TIMES} were received`);
    return receivedSum;
  },
  'a callback with data of a package': () => {
    let sum = 0;
    deliver(TIMES, ({ id }) => {
      sum += id;
    });
    if (sum !== (TIMES * (TIMES - 1)) / 2) throw new Error(`the sum is ${sum}`);
    return sum;
  },
  'an object made': each(() => new Socket()),
  'a separate event of 100 bytes': async () => {
    const chunks = new PassThrough();
    let bytes = 0;
    const ended = new Promise((resolve) => chunks.on('end', resolve));
    chunks.on('data', (chunk: Uint8Array) => {
      bytes += chunk.length;
    });
    const chunk = new Uint8Array(100);
    for (let i = 0; i < TIMES; i++) chunks.write(chunk);
    chunks.end();
    await ended;
    if (bytes !== TIMES * 100) throw new Error(`${bytes} bytes arrived`);
    return bytes;
  },
  'a row of 10 columns, by get()': each((i) => oneRow.get(i % ROW_COUNT)),
  'a row of 10 columns, 100 by all()': () => {
    let sum = 0;
    for (let i = 0; i < TIMES / ROW_COUNT; i++) sum += allRows.all().length;
    return sum;
  },
  'a row of 10 columns, 100 by iterate()': () => {
    let sum = 0;
    for (let i = 0; i < TIMES / ROW_COUNT; i++) for (const row of allRows.iterate()) if (row !== undefined) sum++;
    return sum;
  },
  'an update, by run()': each((i) => update.run(i, i % ROW_COUNT)),
};
