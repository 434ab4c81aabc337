// The control socket of a recorded process: its place, its clients, and their limits.
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CONTROL_ERRORS, MAX_REQUEST_CHARS } from '../src/control/control-protocol.ts';
import { ControlServer } from '../src/control/control-server.ts';
import { createServiceDirectory, listSockets, socketName } from '../src/control/service-directories.ts';
import { PATIENTLY } from './live-traces.ts';
import { temporaryDirectory } from './recording.ts';
import { withDeadSocket } from './sockets.ts';

type Client = Socket & { readonly texts: string[]; readonly ended: Promise<unknown> };

describe('a server', () => {
  const request = (id: number, method = 'status'): string => `${JSON.stringify({ jsonrpc: '2.0', id, method })}\n`;
  async function open(
    handler: () => Promise<object> = async () => ({}),
  ): Promise<{ server: ControlServer; path: string; directory: string }> {
    const directory = join(temporaryDirectory(), 'services');
    const server = new ControlServer(handler);
    onTestFinished(() => server.close());
    await server.open([directory]);
    return { server, directory, path: listSockets(directory)[0]!.path };
  }
  const connect = (path: string): Client => {
    const socket = createConnection(path).setEncoding('utf8');
    const texts: string[] = [];
    onTestFinished(() => void socket.destroy());
    socket.on('data', (text: string) => texts.push(text));
    socket.on('error', () => {});
    return Object.assign(socket, { texts, ended: new Promise((resolve) => socket.on('close', resolve)) });
  };
  const responsesOf = ({ texts }: { readonly texts: string[] }): unknown[] =>
    texts
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);

  test('has a socket for its user only, with the process id in its name', async () => {
    const { directory, path } = await open();
    expect(listSockets(directory)).toEqual([{ path, pid: process.pid }]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('uses the first directory that works, and tells why none does', async () => {
    const parent = temporaryDirectory();
    const [unprivate, tooLong, good] = ['unprivate', 'x'.repeat(90), 'good'].map((name) => join(parent, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(unprivate, { mode: 0o755 });
    const server = new ControlServer(async () => ({}));
    onTestFinished(() => server.close());
    await server.open(['/does/not/exist', unprivate, tooLong, good]);
    expect(listSockets(good)).toHaveLength(1);
    const other = new ControlServer(async () => ({}));
    await expect(other.open(['/does/not/exist', unprivate, tooLong])).rejects.toThrow(
      /ENOENT.*; .*unprivate must be a directory of this user with mode 700.*; .*is too long for the path of a socket/,
    );
  });

  test('removes the sockets of processes that have ended', async () => {
    const dead = await withDeadSocket(2 ** 22 + 1);
    const own = await withDeadSocket(process.pid);
    for (const { directory } of [dead, own]) {
      const server = new ControlServer(async () => ({}));
      onTestFinished(() => server.close());
      await server.open([directory]);
    }
    expect(readdirSync(dead.directory)).toHaveLength(1);
    // The process of its name lives, so that it may be about to listen.
    expect(readdirSync(own.directory)).toHaveLength(2);
  });

  test('has no socket after it is closed, also while it opens, and closes its connections', PATIENTLY, async () => {
    const { server, directory, path } = await open();
    const socket = connect(path);
    socket.write(request(1));
    await vi.waitFor(() => expect(responsesOf(socket)).toHaveLength(1), PATIENTLY);
    server.close();
    await socket.ended;
    expect(readdirSync(directory)).toEqual([]);
    const early = new ControlServer(async () => ({}));
    const opening = early.open([directory]);
    // After it listens, and before it has its name.
    process.nextTick(() => early.close());
    await opening.catch(() => {});
    expect(readdirSync(directory)).toEqual([]);
  });

  test('answers one request after the other, and keeps those that come meanwhile', async () => {
    let active = 0;
    let most = 0;
    const { path } = await open(async () => {
      most = Math.max(most, ++active);
      await new Promise(setImmediate);
      active--;
      return { done: true };
    });
    const socket = connect(path);
    const all = [1, 2, 3, 4].map((id) => request(id)).join('');
    socket.write(all.slice(0, 70));
    await vi.waitFor(() => expect(responsesOf(socket)).toHaveLength(1), PATIENTLY);
    socket.write(all.slice(70));
    await vi.waitFor(() => expect(responsesOf(socket)).toHaveLength(4), PATIENTLY);
    expect(responsesOf(socket)).toEqual([1, 2, 3, 4].map((id) => ({ jsonrpc: '2.0', id, result: { done: true } })));
    expect(most).toBe(1);
  });

  test('reads a long request, but not without end', async () => {
    const { path } = await open();
    const socket = connect(path);
    const padded = (length: number): string => `${request(1).trimEnd().padEnd(length)}\n`;
    socket.write(padded(MAX_REQUEST_CHARS));
    await vi.waitFor(() => expect(responsesOf(socket)).toHaveLength(1), PATIENTLY);
    socket.write(padded(MAX_REQUEST_CHARS + 1));
    await vi.waitFor(() => expect(responsesOf(socket)).toHaveLength(2), PATIENTLY);
    expect(responsesOf(socket)).toMatchObject([
      { id: 1, result: {} },
      { id: null, error: { code: CONTROL_ERRORS.request, message: 'that is too long' } },
    ]);
    socket.write(' '.repeat(MAX_REQUEST_CHARS));
    socket.write(' ');
    await socket.ended;
  });

  test('closes the oldest idle connection for a new client, and refuses it if all are busy', PATIENTLY, async () => {
    const waiting = Promise.withResolvers<object>();
    let busy = 0;
    const { path } = await open(() => (busy++, waiting.promise));
    const clients: Client[] = [];
    const addClient = async (): Promise<void> => {
      const client = connect(path);
      clients.push(client);
      await new Promise((resolve) => client.on('connect', resolve));
    };
    const makeBusy = async (client: Client): Promise<void> => {
      const before = busy;
      client.write(request(7));
      await vi.waitFor(() => expect(busy).toBe(before + 1), PATIENTLY);
    };
    for (let i = 0; i < 16; i++) await addClient();
    await makeBusy(clients[0]!);
    await addClient();
    await clients[1]!.ended;
    clients.splice(1, 1);
    expect(clients.map(({ destroyed }) => destroyed)).toEqual(clients.map(() => false));
    for (const client of clients.slice(1)) await makeBusy(client);
    await connect(path).ended;
    waiting.resolve({ done: true });
    for (const client of clients)
      await vi.waitFor(() => expect(responsesOf(client)).toMatchObject([{ id: 7, result: { done: true } }]), PATIENTLY);
  });

  test('survives clients that leave without their responses', async () => {
    const waiting = Promise.withResolvers<object>();
    const { path } = await open(() => waiting.promise);
    const socket = connect(path);
    socket.write(request(1));
    await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(0));
    socket.destroy();
    await socket.ended;
    waiting.resolve({});
    const other = connect(path);
    other.write(request(2));
    await vi.waitFor(() => expect(responsesOf(other)).toMatchObject([{ id: 2 }]), PATIENTLY);
  });
});

test('a directory of sockets must be private', () => {
  const parent = temporaryDirectory();
  const made = join(parent, 'made');
  createServiceDirectory(made);
  createServiceDirectory(made);
  expect(statSync(made).mode & 0o777).toBe(0o700);
  for (const mode of [0o701, 0o710, 0o704, 0o740, 0o702]) {
    const open = join(parent, mode.toString(8));
    mkdirSync(open);
    chmodSync(open, mode);
    expect(() => createServiceDirectory(open)).toThrow('with mode 700');
    writeFileSync(join(open, socketName(7, '0123abcd')), '');
    expect(listSockets(open)).toEqual([]);
  }
  writeFileSync(join(parent, 'file'), '', { mode: 0o600 });
  expect(() => createServiceDirectory(join(parent, 'file'))).toThrow('must be a directory');
  expect(() => createServiceDirectory(join(parent, 'a', 'b'))).toThrow('ENOENT');
});

test('only complete names in a directory are sockets', () => {
  const directory = temporaryDirectory();
  for (const name of [
    '7-0123abcd.sock',
    '.7-0123abcd.sock',
    '7-0123abcg.sock',
    '7-0123abc.sock',
    'x7-0123abcd.sock',
    '7-0123abcd.sock.x',
    '12345678901-0123abcd.sock',
  ])
    writeFileSync(join(directory, name), '');
  expect(listSockets(directory)).toEqual([{ path: join(directory, '7-0123abcd.sock'), pid: 7 }]);
});
