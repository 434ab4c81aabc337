// Checks of requests to a loopback port. A request with a foreign name in its Host header comes from a web page whose
// name server resolves that name to this computer (DNS rebinding). A request without the secret comes from a process
// that does not know the address.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

/** The Host header, if it consists of a loopback name and the port of the socket; otherwise undefined. */
export function loopbackHostOf({ headers, socket }: IncomingMessage): string | undefined {
  const { host = '' } = headers;
  const [name = '', port = '80'] = host.split(':');
  return LOOPBACK_NAMES.has(name) && Number(port) === socket.localPort && /^[\w.]+(?::\d+)?$/.test(host)
    ? host
    : undefined;
}

/** Compares in constant time, so that timing does not reveal the secret. */
export function isSameSecret(input: string, secret: string): boolean {
  const [actual, expected] = [Buffer.from(input), Buffer.from(secret)];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
