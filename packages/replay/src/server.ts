// The time machine at a port of this computer, for windows and terminals elsewhere on it. Recordings hold whatever a program has seen, so the port is of the loopback, its address has a
// secret in it, and pages of the web are kept out: a request whose Host is another name has been led here by somebody's name server, one with an Origin comes from a page.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex, Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';
import { lineWire } from './protocol/line-wire.ts';
import { wirePair, type Wire } from './protocol/wire.ts';
import { Conversation } from './server/conversation.ts';
import { isSecret, ownHostOf } from './server/own-host.ts';
import { answerPage, type Site } from './server/site.ts';
import { TimeMachine, type Inside, type RecordingToldOf } from './server/time-machine.ts';
import type { Survey } from './survey/survey.ts';

/** Bytes of a message of a client. */
const LARGEST = 1 << 20;
/** Bytes that wait for a client that does not read: beyond, it is let go of. */
const MOST_WAITING = 1 << 26;
const MOST_CLIENTS = 32;
const HOST = '127.0.0.1';

export { isSecret, ownHostOf } from './server/own-host.ts';
export { answerPage, type Site, type SiteFile } from './server/site.ts';
export type { ClassSize, SnapshotHere, Snapshots } from './server/snapshots.ts';
export type { Inside, RecordingToldOf } from './server/time-machine.ts';

/** Clients of a time machine: one in this process by a wire, others by the port once it listens. */
export class TimeMachineServer {
  #machine: TimeMachine;
  readonly #clients = new Set<WebSocket>();
  /** Of clients in this process, and of those at two streams. */
  #wires: Wire[] = [];
  #last = 0;
  #http: Server | undefined;

  /** @param version of Turntable */
  constructor(survey: Survey, recording: RecordingToldOf, version: string, inside?: Inside) {
    this.#machine = new TimeMachine(survey, recording, version, inside);
  }

  /** For a client in this process: its end of a wire. */
  wire(): Wire {
    const [theirs, ours] = wirePair();
    this.#wires.push(ours);
    this.#serve(ours);
    return theirs;
  }

  /** For a client at the other ends of two streams, a line for each message. Settles when it has gone. */
  lines(input: Readable, output: Writable): Promise<void> {
    const wire = lineWire(input, output, LARGEST);
    return new Promise((settle) => {
      const its: Wire = {
        ...wire,
        onClose: (listener) =>
          wire.onClose((why) => {
            listener(why);
            settle();
          }),
        close: () => {
          wire.close();
          settle();
        },
      };
      this.#wires.push(its);
      this.#serve(its);
    });
  }

  /** Another recording in the place of this one, or more of it: who is connected has to connect again, and all stand at its end then. */
  async replace(survey: Survey, recording: RecordingToldOf, version: string, inside: Inside): Promise<void> {
    const before = this.#machine;
    this.#machine = new TimeMachine(survey, recording, version, inside);
    this.#machine.goToEnd();
    const [clients, wires] = [[...this.#clients], this.#wires];
    this.#wires = [];
    // Whoever has asked for it is answered first.
    await turn();
    for (const client of clients) client.close(1012, 'more of the recording has been read: connect again');
    for (const wire of wires) wire.close();
    await before.close();
  }

  #serve(wire: Wire): void {
    new Conversation(this.#machine, wire, ++this.#last);
  }

  /**
   * Answers the address, with the secret that whoever connects has to know.
   * @param port 0 for any that is free
   * @param site a page that browsers get at the same port, which may connect as well
   */
  async listen(port: number, site?: Site): Promise<string> {
    const token = randomBytes(16).toString('hex');
    const sockets = new WebSocketServer({ noServer: true, maxPayload: LARGEST, perMessageDeflate: false });
    const http = createServer((request, response) => answerPage(request, response, { site, host: ownHostOf(request) }));
    http.on('upgrade', (request, socket, head) => {
      const why = whyRefused(request, { token, isPageServed: site !== undefined, clients: this.#clients.size });
      if (why !== undefined) refuse(socket, why);
      else sockets.handleUpgrade(request, socket, head, (client) => this.#connected(client));
    });
    await new Promise<void>((settle, reject) => {
      http.once('error', reject);
      http.listen(port, HOST, settle);
    });
    this.#http = http;
    return `ws://${HOST}:${(http.address() as AddressInfo).port}/${token}`;
  }

  /** Nobody is answered any more. */
  async close(): Promise<void> {
    for (const client of this.#clients) client.close(1001, 'the server ends');
    this.#http?.close();
    this.#http = undefined;
    await this.#machine.close();
  }

  #connected(client: WebSocket): void {
    this.#clients.add(client);
    let closed: (why: string) => void = () => {};
    client.on('close', (_, reason) => {
      this.#clients.delete(client);
      closed(reason.toString() || 'the connection was closed');
    });
    // What it sends that is no WebSocket message, or too large, ends its connection, which is told as well.
    client.on('error', () => {});
    this.#serve({
      send: (text) => {
        if (client.bufferedAmount > MOST_WAITING) client.terminate();
        else client.send(text);
      },
      onText: (listener) => {
        client.on('message', (data, isBinary) => {
          if (isBinary) client.close(1003, 'messages are texts');
          else listener((data as Buffer).toString());
        });
      },
      onClose: (listener) => void (closed = listener),
      close: () => client.close(1000),
    });
  }
}

/** The status that it is refused with. */
function whyRefused(
  request: IncomingMessage,
  { token, isPageServed, clients }: { token: string; isPageServed: boolean; clients: number },
): string | undefined {
  const host = ownHostOf(request);
  const { headers, url = '' } = request;
  if (host === undefined) return '403 Forbidden';
  const isFromOwnPage = isPageServed && headers.origin === `http://${host}`;
  if (headers.origin !== undefined && !isFromOwnPage) return '403 Forbidden';
  if (!isSecret(url.slice(1), token)) return '401 Unauthorized';
  return clients >= MOST_CLIENTS ? '503 Service Unavailable' : undefined;
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
