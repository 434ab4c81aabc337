// Sessions of the window with time machines that have engines, on recordings of the programs with which engines are tested.
import '../../../test/engine/own-process.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@turntable/time-machine/client';
import type { TimeMachineServer } from '@turntable/time-machine/server';
import { serverOf } from '../../../test/engine/machine.ts';
import { record } from '../../../test/replay/again.ts';
import { Session } from '../src/model/session.ts';

const programAt = (file: string): string => join(import.meta.dirname, '../../../test/engine/programs', file);

/** Recordings of a test file. */
export class EngineRoom implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'turntable-'));

  /** @param file one of the programs; @param flags of `turntable record` */
  record(name: string, file: string, flags: readonly string[] = []): void {
    record(join(this.#directory, name), [...flags, programAt(file)]);
  }

  server(name: string): Promise<TimeMachineServer> {
    return serverOf(join(this.#directory, name));
  }

  async session(name: string): Promise<Session> {
    return sessionWith(await this.server(name));
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

export async function sessionWith(server: TimeMachineServer): Promise<Session> {
  const session = new Session(async () => new Client(server.wire()));
  await session.open();
  const { stage } = session.state;
  if (stage !== 'ready') throw new Error(`the session is ${stage}`);
  return session;
}

/** The number of the first line with this. */
export function lineOf(file: string, part: string): number {
  const lines = readFileSync(programAt(file), 'utf8').split('\n');
  return 1 + lines.findIndex((each) => each.includes(part));
}
