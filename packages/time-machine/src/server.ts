// The time machine for its clients: by a wire in this process, by two streams, or by a port of this computer (loopback-port.ts), for windows and terminals elsewhere on it.
import type { Readable, Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { lineWire } from './protocol/line-wire.ts';
import { wirePair, type Wire } from './protocol/wire.ts';
import { Conversation } from './server/conversation.ts';
import { LARGEST, LoopbackPort } from './server/loopback-port.ts';
import { ownHostOf } from './server/own-host.ts';
import { answerPage, type Site } from './server/site.ts';
import type { RecordingToldOf } from './server/greeting.ts';
import { TimeMachine, type Inside } from './server/time-machine.ts';
import type { Survey } from './survey/survey.ts';

export { LoopbackPort } from './server/loopback-port.ts';
export { isSecret, ownHostOf } from './server/own-host.ts';
export { answerPage, type Site, type SiteFile } from './server/site.ts';
export type { ClassSize, Snapshots } from './server/snapshots.ts';
export type { RecordingToldOf } from './server/greeting.ts';
export type { Inside } from './server/time-machine.ts';

/** Clients of a time machine: one in this process by a wire, others by the port once it listens. */
export class TimeMachineServer {
  #machine: TimeMachine;
  /** Of clients in this process, and of those at two streams. */
  #wires: Wire[] = [];
  #last = 0;
  #port: LoopbackPort | undefined;

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
    const wires = this.#wires;
    this.#wires = [];
    // Whoever has asked for it is answered first.
    await turn();
    this.#port?.letGo(1012, 'more of the recording has been read: connect again');
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
    const own = new LoopbackPort({
      answer: (request, response) => answerPage(request, response, { site, host: ownHostOf(request) }),
      isWelcome: (origin, host) => site !== undefined && origin === `http://${host}`,
      connected: (wire) => this.#serve(wire),
    });
    const address = await own.listen(port);
    this.#port = own;
    return `ws://${address}`;
  }

  async close(): Promise<void> {
    this.#port?.close();
    this.#port = undefined;
    await this.#machine.close();
  }
}
