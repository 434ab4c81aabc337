// Who may ask a port of the loopback: a request whose Host is another name has been led here by somebody's name server, and who has not the secret was not given the address.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const NAMES: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

/** The host that was asked for, if it is this one. */
export function ownHostOf({ headers, socket }: IncomingMessage): string | undefined {
  const { host = '' } = headers;
  const [name = '', port = '80'] = host.split(':');
  return NAMES.has(name) && Number(port) === socket.localPort && /^[\w.]+(?::\d+)?$/.test(host) ? host : undefined;
}

/** In a time that tells nothing of it. */
export function isSecret(given: string, secret: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}
