// A wire carries messages between a client and the time machine, as texts in order. It may be a WebSocket, two streams,
// or a pair of ends in one process, with which a terminal uses the same protocol without opening a port.

export interface Wire {
  send(text: string): void;
  /** @param listener gets each text; texts that arrived before the call are kept for it */
  onText(listener: (text: string) => void): void;
  /** @param listener gets the reason when the other end or the connection closes the wire */
  onClose(listener: (reason: string) => void): void;
  close(): void;
}

/** Keeps the texts that arrive before there is a listener. */
export class WireBuffer {
  readonly #early: string[] = [];
  #listener: ((text: string) => void) | undefined;

  receive(text: string): void {
    if (this.#listener === undefined) this.#early.push(text);
    else this.#listener(text);
  }

  readonly onText: Wire['onText'] = (listener) => {
    this.#listener = listener;
    for (const text of this.#early.splice(0)) listener(text);
  };
}

class WireEnd implements Wire {
  peer: WireEnd | undefined;
  readonly #buffer = new WireBuffer();
  readonly onText: Wire['onText'] = this.#buffer.onText;
  #closed: (reason: string) => void = () => {};
  #isClosed = false;

  send(text: string): void {
    const { peer } = this;
    if (!this.#isClosed && peer !== undefined) queueMicrotask(() => peer.#receive(text));
  }

  #receive(text: string): void {
    if (!this.#isClosed) this.#buffer.receive(text);
  }

  onClose(listener: (reason: string) => void): void {
    this.#closed = listener;
  }

  close(): void {
    const { peer } = this;
    this.#isClosed = true;
    if (peer !== undefined) queueMicrotask(() => peer.#closeByPeer());
  }

  #closeByPeer(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closed('the other end closed the connection');
  }
}

/** The two ends of a wire in this process. */
export function wirePair(): [Wire, Wire] {
  const [first, peer] = [new WireEnd(), new WireEnd()];
  [first.peer, peer.peer] = [peer, first];
  return [first, peer];
}
