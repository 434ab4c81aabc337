// The time machine for its clients: by a wire in this process, by two streams, or by a port of this computer (loopback-port.ts), for windows and terminals elsewhere on it.
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
export { serveSite, type Site, type SiteFile } from './server/site.ts';
export type { ClassSize, SnapshotCatalog } from './server/wire/snapshots.ts';
export type { RecordingInfo } from './server/greeting.ts';
export type { TimeMachineDeps } from './server/time-machine.ts';

/** Clients of a time machine: one in this process by a wire, others by the port once it listens. */
export class TimeMachineServer {
  #timeMachine: TimeMachine;
  /** Of clients in this process, and of those at two streams. */
  #wires: Wire[] = [];
  #lastClient = 0;
  #port: LoopbackPort | undefined;

  /** @param version of Turntable */
  constructor(runIndex: RunIndex, recording: RecordingInfo, version: string, deps?: TimeMachineDeps) {
    this.#timeMachine = new TimeMachine(runIndex, recording, version, deps);
  }

  /** For a client in this process: its end of a wire. */
  openWire(): Wire {
    const [clientEnd, serverEnd] = wirePair();
    this.#wires.push(serverEnd);
    this.#serve(serverEnd);
    return clientEnd;
  }

  /** For a client at the other ends of two streams, a line for each message. Settles when it has gone. */
  serveStreams(input: Readable, output: Writable): Promise<void> {
    const wire = lineWire(input, output, MAX_MESSAGE_BYTES);
    return new Promise((settle) => {
      const closingWire: Wire = {
        ...wire,
        onClose: (listener) =>
          wire.onClose((reason) => {
            listener(reason);
            settle();
          }),
        close: () => {
          wire.close();
          settle();
        },
      };
      this.#wires.push(closingWire);
      this.#serve(closingWire);
    });
  }

  /** Another recording in the place of this one, or more of it: who is connected has to connect again, and all stand at its end then. */
  async replace(runIndex: RunIndex, recording: RecordingInfo, version: string, deps: TimeMachineDeps): Promise<void> {
    const previous = this.#timeMachine;
    this.#timeMachine = new TimeMachine(runIndex, recording, version, deps);
    this.#timeMachine.moveToEnd();
    const wires = this.#wires;
    this.#wires = [];
    // Whoever has asked for it is answered first.
    await turn();
    this.#port?.disconnectAll(1012, 'more of the recording has been read: connect again');
    for (const wire of wires) wire.close();
    await previous.close();
  }

  #serve(wire: Wire): void {
    new ClientConnection(this.#timeMachine, wire, ++this.#lastClient);
  }

  /**
   * Answers the address, with the secret that whoever connects has to know.
   * @param port 0 for any that is free
   * @param site a page that browsers get at the same port, which may connect as well
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
