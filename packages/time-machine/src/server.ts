// Serves a time machine to clients in this process, over two streams, or at a loopback port
// (server/loopback-port.ts).
import type { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { lineWire } from './protocol/line-wire.ts';
import { wirePair, type Wire } from './protocol/wire.ts';
import { ClientConnection } from './server/client-connection.ts';
import { MAX_MESSAGE_BYTES, LoopbackPort } from './server/loopback-port.ts';
import { loopbackHostOf } from './server/loopback-host.ts';
import { serveSite, type Site } from './server/site.ts';
import type { RecordingInfo } from './server/greeting.ts';
import { TimeMachine, type TimeMachineDeps } from './server/time-machine.ts';
import type { RunIndex } from './run-index/run-index.ts';

export { LoopbackPort } from './server/loopback-port.ts';
export { isSameSecret, loopbackHostOf } from './server/loopback-host.ts';
export { listenOnLoopback, LOOPBACK_ADDRESS } from './server/loopback-listener.ts';
export { serveSite, type Site, type SiteFile } from './server/site.ts';
export type { ClassSize, SnapshotCatalog } from './server/wire/snapshots.ts';
export type { RecordingInfo } from './server/greeting.ts';
export type { ExpressionProblem } from './server/breakpoint-checks.ts';
export type { TimeMachineDeps } from './server/time-machine.ts';

export class TimeMachineServer {
  #timeMachine: TimeMachine;
  /** Open wires of the clients that are not connected through the port. */
  #wires = new Set<Wire>();
  #lastClient = 0;
  #port: LoopbackPort | undefined;

  /** @param version version of Turntable */
  constructor(runIndex: RunIndex, recording: RecordingInfo, version: string, deps?: TimeMachineDeps) {
    this.#timeMachine = new TimeMachine(runIndex, recording, version, deps);
  }

  /** Connects a client in this process; returns its end of the wire. */
  openWire(): Wire {
    const [clientEnd, serverEnd] = wirePair();
    this.#serveUntilClosed(serverEnd, () => {});
    return clientEnd;
  }

  /** Serves a client over two streams, with one message per line. Settles when the client has disconnected. */
  serveStreams(input: Readable, output: Writable): Promise<void> {
    const wire = lineWire(input, output, MAX_MESSAGE_BYTES);
    return new Promise((settle) => this.#serveUntilClosed(wire, settle));
  }

  /** Serves a client, and forgets its wire when either end has closed it. */
  #serveUntilClosed(wire: Wire, onClosed: () => void): void {
    const end = (): void => {
      this.#wires.delete(openWire);
      onClosed();
    };
    const openWire: Wire = {
      send: (text) => wire.send(text),
      onText: (listener) => wire.onText(listener),
      onClose: (listener) =>
        wire.onClose((reason) => {
          listener(reason);
          end();
        }),
      close: () => {
        wire.close();
        end();
      },
    };
    this.#wires.add(openWire);
    this.#serve(openWire);
  }

  /** Replaces the recording, or extends it. All clients are disconnected; the new position is the recording's end. */
  async replace(runIndex: RunIndex, recording: RecordingInfo, version: string, deps: TimeMachineDeps): Promise<void> {
    const previous = this.#timeMachine;
    this.#timeMachine = new TimeMachine(runIndex, recording, version, deps);
    this.#timeMachine.moveToEnd();
    const wires = this.#wires;
    this.#wires = new Set();
    // The client that requested this gets its answer before it is disconnected.
    await turn();
    this.#port?.disconnectAll(1012, 'the recording was refreshed; connect again');
    for (const wire of wires) wire.close();
    await previous.close();
  }

  #serve(wire: Wire): void {
    new ClientConnection(this.#timeMachine, wire, ++this.#lastClient);
  }

  /**
   * Opens a port; returns its address, which contains the secret that clients need.
   * @param port 0 for any free one
   * @param site page that the port serves to browsers, and that may connect
   */
  async listen(port: number, site?: Site): Promise<string> {
    const loopbackPort = new LoopbackPort({
      onRequest: (request, response) => serveSite(request, response, { site, host: loopbackHostOf(request) }),
      isAllowedOrigin: (origin, host) => site !== undefined && origin === `http://${host}`,
      onConnection: (wire) => this.#serve(wire),
    });
    const address = await loopbackPort.listen(port);
    this.#port = loopbackPort;
    return `ws://${address}`;
  }

  async close(): Promise<void> {
    this.#port?.close();
    this.#port = undefined;
    await this.#timeMachine.close();
  }
}
