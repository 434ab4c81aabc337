// Server that speaks PostgreSQL's protocol (version 3), in the current process, with one table and a few statements.
import type { Socket } from 'node:net';
import { LoopbackServer } from './loopback-server.ts';

interface Item {
  readonly id: number;
  readonly name: string;
  left: number;
  readonly made: string;
}
interface Column {
  readonly name: keyof Item;
  readonly type: number;
}

const [INT4, TEXT, TIMESTAMP] = [23, 25, 1114];
const COLUMNS: readonly Column[] = [
  { name: 'id', type: INT4 },
  { name: 'name', type: TEXT },
  { name: 'left', type: INT4 },
  { name: 'made', type: TIMESTAMP },
];

interface Result {
  readonly columns: readonly Column[];
  readonly rows: readonly Item[];
  readonly tag: string;
}

export class FakePostgresServer extends LoopbackServer {
  readonly #items: Item[] = ['tea', 'rum', 'jam'].map((name, i) => ({
    id: i + 1,
    name,
    left: 5,
    made: `2026-11-0${i + 1} 12:00:00.25`,
  }));
  statements = 0;

  protected serve(socket: Socket): void {
    const session = new PostgresSession((text, values) => this.#run(text, values));
    let pending = Buffer.alloc(0);
    socket.on('data', (part: Buffer) => {
      pending = Buffer.concat([pending, part]);
      for (;;) {
        const head = session.isStarted ? 1 : 0;
        if (pending.length < head + 4) return;
        const length = head + pending.readInt32BE(head);
        if (pending.length < length) return;
        const kind = head === 0 ? '' : String.fromCharCode(pending[0] ?? 0);
        const answer = session.take(kind, pending.subarray(head + 4, length));
        pending = pending.subarray(length);
        if (answer === undefined) socket.end();
        else if (answer.length > 0) socket.write(answer);
      }
    });
  }

  #run(text: string, values: readonly string[]): Result {
    this.statements++;
    const [id, count] = values.map(Number);
    const found = this.#items.filter((item) => id === undefined || item.id === id);
    if (/^(?:BEGIN|COMMIT|ROLLBACK)$/.test(text)) return { columns: [], rows: [], tag: text };
    if (text.startsWith('SELECT')) return { columns: COLUMNS, rows: found, tag: `SELECT ${found.length}` };
    if (text.startsWith('UPDATE')) {
      const rows = found.map((item) => ({ ...item, left: item.left - (count ?? 0) }));
      for (const item of found) item.left = Math.max(0, item.left - (count ?? 0));
      return { columns: COLUMNS.filter(({ name }) => name === 'left'), rows, tag: `UPDATE ${rows.length}` };
    }
    throw new Error(`syntax error at or near "${text}"`);
  }
}

class PostgresSession {
  isStarted = false;
  readonly #run: (text: string, values: readonly string[]) => Result;
  readonly #statements = new Map<string, string>();
  #portal: { text: string; values: string[] } = { text: '', values: [] };
  #hasFailed = false;

  constructor(run: (text: string, values: readonly string[]) => Result) {
    this.#run = run;
  }

  /** Handles a message. Returns undefined at the end of the session. */
  take(kind: string, body: Buffer): Buffer | undefined {
    if (!this.isStarted) {
      this.isStarted = true;
      return message('R', int32(3));
    }
    const fields = body.toString('utf8').split('\0');
    switch (kind) {
      case 'p':
        if (fields[0] !== 'secret') return failure('28P01', 'password authentication failed');
        return Buffer.concat([
          message('R', int32(0)),
          message('S', text('server_version'), text('17.0')),
          message('S', text('client_encoding'), text('UTF8')),
          message('K', int32(7), int32(42)),
          message('N', text('SNOTICE'), text('C00000'), text('Mwelcome'), Buffer.alloc(1)),
          READY,
        ]);
      case 'Q':
        return Buffer.concat([this.#answer(fields[0] ?? '', [], true), READY]);
      case 'P':
        this.#statements.set(fields[0] ?? '', fields[1] ?? '');
        return message('1');
      case 'B':
        this.#portal = { text: this.#statements.get(fields[1] ?? '') ?? '', values: valuesIn(body, fields) };
        return message('2');
      case 'D':
        return Buffer.alloc(0);
      case 'E':
        return this.#hasFailed ? Buffer.alloc(0) : this.#answer(this.#portal.text, this.#portal.values, true);
      case 'S':
        this.#hasFailed = false;
        return READY;
      case 'X':
        return undefined;
      default:
        return Buffer.alloc(0);
    }
  }

  #answer(statement: string, values: readonly string[], describes: boolean): Buffer {
    let result: Result;
    try {
      result = this.#run(statement, values);
    } catch (error) {
      this.#hasFailed = true;
      return failure('42601', (error as Error).message);
    }
    const { columns, rows, tag } = result;
    return Buffer.concat([
      ...(describes && columns.length > 0 ? [description(columns)] : []),
      ...rows.map((row) => message('D', int16(columns.length), ...columns.map(({ name }) => sized(String(row[name]))))),
      message('C', text(tag)),
    ]);
  }
}

/** Values of a Bind message: portal, statement, formats, then values, each preceded by its length. */
function valuesIn(body: Buffer, [portal = '', statement = '']: readonly string[]): string[] {
  let at = Buffer.byteLength(portal) + Buffer.byteLength(statement) + 2;
  at += 2 + 2 * body.readInt16BE(at);
  const values: string[] = [];
  const count = body.readInt16BE(at);
  at += 2;
  for (let i = 0; i < count; i++) {
    const length = body.readInt32BE(at);
    values.push(body.toString('utf8', at + 4, at + 4 + length));
    at += 4 + length;
  }
  return values;
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);
const sized = (value: string): Buffer => Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]);

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

function description(columns: readonly Column[]): Buffer {
  const each = columns.map(({ name, type }) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)]),
  );
  return message('T', int16(columns.length), ...each);
}

function failure(code: string, reason: string): Buffer {
  return message('E', text('SERROR'), text(`C${code}`), text(`M${reason}`), Buffer.alloc(1));
}

const READY = message('Z', Buffer.from('I'));
