// How a thread is called that has begun before anybody knew what for (called-for.ts): it stands still until then, in the midst of being loaded, so what it is told comes by a port and that it has come by a word.
import { MessageChannel, receiveMessageOnPort, type MessagePort, type Transferable } from 'node:worker_threads';

export interface CallEnd {
  readonly word: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** One for who waits, the other for who calls. */
export function callEnds(): [waits: CallEnd, calls: CallEnd] {
  const word = new SharedArrayBuffer(4);
  const { port1, port2 } = new MessageChannel();
  return [
    { word, port: port1 },
    { word, port: port2 },
  ];
}

/** Once. */
export function callBy({ word, port }: CallEnd, what: unknown, transfer: readonly Transferable[] = []): void {
  port.postMessage(what, transfer);
  Atomics.store(new Int32Array(word), 0, 1);
  Atomics.notify(new Int32Array(word), 0);
}

/** Stands still until it is called; answers what with. */
export function waitToBeCalled({ word, port }: CallEnd): unknown {
  Atomics.wait(new Int32Array(word), 0, 0);
  const received = receiveMessageOnPort(port) as { readonly message: unknown } | undefined;
  port.close();
  return received?.message;
}
