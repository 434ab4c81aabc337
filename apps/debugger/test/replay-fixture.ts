// Sessions of the window with time machines that have replay processes, on recordings of the programs in test/engine.
import '../../../test/engine/own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@turntable/time-machine/client';
import type { TimeMachineServer } from '@turntable/time-machine/server';
import { createServer } from '../../../test/engine/time-machine-server.ts';
import { record } from '../../../test/replay/record-and-replay.ts';
import { DebuggerSession } from '../src/model/debugger-session.ts';

const programPath = (file: string): string => join(import.meta.dirname, '../../../test/engine/programs', file);

/** The recordings of a test file. */
export class ReplayFixture implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'turntable-'));

  /** @param file one of the programs @param flags of `turntable record` */
  record(name: string, file: string, flags: readonly string[] = []): void {
    record(join(this.#directory, name), [...flags, programPath(file)]);
  }

  createServer(name: string): Promise<TimeMachineServer> {
    return createServer(join(this.#directory, name));
  }

  async createSession(name: string): Promise<DebuggerSession> {
    return openSession(await this.createServer(name));
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export async function openSession(server: TimeMachineServer): Promise<DebuggerSession> {
  const session = new DebuggerSession(async () => new Client(server.openWire()));
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
