// What carries messages between a client and the time machine: texts in order, one message each. A WebSocket is one, and so are the two ends of a pair in one process, by which a terminal
// speaks the same protocol without a port that others could reach.

export interface Wire {
  send(text: string): void;
  /** @param listener of each text; once it is set, those come that came before */
  onText(listener: (text: string) => void): void;
  /** No text comes any more. @param listener is told why, if that is known */
  onClose(listener: (why: string) => void): void;
  close(): void;
}

/** Texts that have arrived. They are kept until there is a listener. */
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
  #closed: (why: string) => void = () => {};
  #isClosed = false;

  send(text: string): void {
    const { peer } = this;
    if (!this.#isClosed && peer !== undefined) queueMicrotask(() => peer.#receive(text));
  }

  #receive(text: string): void {
    if (!this.#isClosed) this.#buffer.receive(text);
  }

  onClose(listener: (why: string) => void): void {
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
    this.#closed('the other end has closed it');
  }
}

/** Two ends: what is sent at one comes at the other. */
export function wirePair(): [Wire, Wire] {
  const [first, peer] = [new WireEnd(), new WireEnd()];
  [first.peer, peer.peer] = [peer, first];
  return [first, peer];
}
