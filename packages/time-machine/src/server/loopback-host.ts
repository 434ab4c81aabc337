// Checks of requests at a loopback port. A request with another name as Host comes from a web page whose name server
// resolves that name to this computer (DNS rebinding). A request without the secret comes from a process that does not
// have the address.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

/** The Host header, if it is a loopback name with the port of the socket. */
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
