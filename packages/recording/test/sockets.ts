// Sockets of processes for tests.
import { renameSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { socketName } from '../src/control/service-directories.ts';
import { temporaryDirectory } from './recording.ts';

export function listen(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection);
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(path, () => resolve(server)));
}

/** A directory with a socket on which no process listens. */
export async function withDeadSocket(pid: number): Promise<{ directory: string; path: string }> {
  const directory = temporaryDirectory();
  const path = join(directory, socketName(pid, '0123abcd'));
  const server = await listen(`${path}.x`, () => {});
  // Renamed, because a server removes its socket when it closes.
  renameSync(`${path}.x`, path);
  await new Promise((resolve) => server.close(resolve));
  return { directory, path };
}
