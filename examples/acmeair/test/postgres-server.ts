// A temporary PostgreSQL server, if PostgreSQL is installed: its directory is deleted at the end, and it listens only
// on a socket in it.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

interface User {
  readonly uid: number;
  readonly gid: number;
}

const SETTINGS = ['-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'logging_collector=off'];

/** Directory of `initdb` and `postgres`; undefined if there is none. */
function binaryDirectory(): string | undefined {
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), ...globSync('/usr/lib/postgresql/*/bin')];
  return directories.find((directory) => globSync(join(directory, '{initdb,postgres}')).length === 2);
}

/** The user `postgres` if this process runs as root, which PostgreSQL refuses. */
function postgresUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith('postgres:'));
  const [uid, gid] = (line ?? '').split(':').slice(2, 4).map(Number);
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}

export const hasPostgres: boolean =
  binaryDirectory() !== undefined && (process.getuid?.() !== 0 || postgresUser() !== undefined);

export class PostgresServer {
  readonly #directory: string;
  readonly #server: ChildProcess;
  readonly #exited: Promise<void>;

  private constructor(directory: string, server: ChildProcess) {
    this.#directory = directory;
    this.#server = server;
    this.#exited = new Promise((resolve) => server.on('close', () => resolve()));
  }

  static async start(): Promise<PostgresServer> {
    const binDirectory = binaryDirectory() ?? '';
    const directory = mkdtempSync(join(tmpdir(), 'acmeair-postgres-'));
    const owner = postgresUser();
    if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
    const data = join(directory, 'data');
    const initdb = spawnSync(
      join(binDirectory, 'initdb'),
      ['-D', data, '-U', 'acme', '-A', 'trust', '--no-sync', '-E', 'UTF8'],
      {
        ...owner,
        cwd: directory,
        encoding: 'utf8',
      },
    );
    if (initdb.status !== 0) throw new Error(`initdb ended with ${initdb.status}: ${initdb.stderr}`);
    const server = spawn(join(binDirectory, 'postgres'), ['-D', data, '-k', directory, ...SETTINGS], {
      ...owner,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const postgres = new PostgresServer(directory, server);
    await new Promise<void>((resolve, reject) => {
      let log = '';
      server.stderr?.setEncoding('utf8').on('data', (part: string) => {
        log += part;
        if (log.includes('ready to accept connections')) resolve();
      });
      void postgres.#exited.then(() => reject(new Error(`the server ended: ${log}`)));
    });
    return postgres;
  }

  /** URL of the only database. */
  get url(): string {
    return `postgres://acme@localhost/postgres?host=${encodeURIComponent(this.#directory)}`;
  }

  async stop(): Promise<void> {
    // A smart shutdown waits for clients that are disconnecting.
    this.#server.kill('SIGTERM');
    await this.#exited;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
