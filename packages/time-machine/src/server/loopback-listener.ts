// Listens on the loopback interface, for all servers of this computer's clients.
import type { AddressInfo, Server } from 'node:net';

export const LOOPBACK_ADDRESS = '127.0.0.1';
/** Maximum number of open sockets of a port, with or without the secret. Further ones are closed at once. */
const MAX_CONNECTIONS = 128;

/** Resolves with the port; rejects if it cannot be opened. @param port 0 for any free one */
export async function listenOnLoopback(server: Server, port: number): Promise<number> {
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((settle, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK_ADDRESS, settle);
  });
  // A failed accept, as when no more files can be opened, loses one connection and must not end the process.
  server.on('error', () => {});
  return (server.address() as AddressInfo).port;
}
