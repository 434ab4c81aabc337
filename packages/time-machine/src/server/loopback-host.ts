// Who may ask a port of the loopback: a request whose Host is another name has been led here by somebody's name server, and who has not the secret was not given the address.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

/** The host that was asked for, if it is this one. */
export function loopbackHostOf({ headers, socket }: IncomingMessage): string | undefined {
  const { host = '' } = headers;
  const [name = '', port = '80'] = host.split(':');
  return LOOPBACK_NAMES.has(name) && Number(port) === socket.localPort && /^[\w.]+(?::\d+)?$/.test(host)
    ? host
    : undefined;
}

/** In a time that tells nothing of it. */
export function isSameSecret(input: string, secret: string): boolean {
  const [actual, expected] = [Buffer.from(input), Buffer.from(secret)];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
