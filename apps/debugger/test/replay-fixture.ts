// Sessions of the window with time machines that have replay processes, on recordings of the programs in test/engine.
import '../../../test/engine/own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@turntable/time-machine/client';
import type { TimeMachineServer } from '@turntable/time-machine/server';
import { createServer, moveToStart } from '../../../test/engine/time-machine-server.ts';
import { record } from '../../../test/replay/record-and-replay.ts';
import { DebuggerSession } from '../src/model/debugger-session.ts';

const programPath = (file: string): string => join(import.meta.dirname, '../../../test/engine/programs', file);

/** The recordings of a test file, and one server for each that all sessions use, one after the other. */
export class ReplayFixture implements AsyncDisposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  readonly #servers = new Map<string, TimeMachineServer>();
  #client: Client | undefined;

  /** @param file one of the programs @param flags of `turntable record` */
  record(name: string, file: string, flags: readonly string[] = []): void {
    record(join(this.#directory, name), [...flags, programPath(file)]);
  }

  createServer(name: string): Promise<TimeMachineServer> {
    return createServer(join(this.#directory, name));
  }

  /** Opens a session at the start of a recording, without breakpoints, and ends the previous session. */
  async createSession(name: string): Promise<DebuggerSession> {
    this.#client?.close();
    const server = this.#servers.get(name) ?? (await createServer(join(this.#directory, name), () => {}));
    this.#servers.set(name, server);
    const client = new Client(server.openWire());
    await client.hello('test');
    await moveToStart(client);
    client.close();
    this.#client = new Client(server.openWire());
    return openSession(this.#client);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers.values()) await server.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export async function openSession(client: Client): Promise<DebuggerSession> {
  const session = new DebuggerSession(async () => client);
  await session.open();
  const { stage } = session.state;
  if (stage !== 'ready') throw new Error(`the session is ${stage}`);
  return session;
}

/** Number of the first line that contains a text. */
export function lineContaining(file: string, part: string): number {
  const lines = readFileSync(programPath(file), 'utf8').split('\n');
  return 1 + lines.findIndex((each) => each.includes(part));
}
