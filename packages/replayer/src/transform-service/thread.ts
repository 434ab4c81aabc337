// A thread that asks the transform service, so that another thread of the process can wait for the answers.
import { duplexPair } from 'node:stream';
import type { MessagePort } from 'node:worker_threads';
import type { Launch } from '../sandbox/sandbox.ts';
import { LineSplitter } from './line-splitter.ts';
import { parseLine, requestLine } from './protocol.ts';
import { TransformRelay } from './relay.ts';

export interface TransformThreadData {
  /** Of the service's process. */
  readonly launch: Launch;
  /** Receives requests and sends answers. */
  readonly port: MessagePort;
  /** A request that starts the service at once. Its answer is dropped. */
  readonly firstRequest?: string | undefined;
  /** 1 once an answer has been sent. */
  readonly isAnswered: Int32Array;
}

export function serveThread({ launch, port, firstRequest, isAnswered }: TransformThreadData): void {
  const [connection, relayEnd] = duplexPair();
  const splitter = new LineSplitter();
  new TransformRelay().serve(relayEnd, () => launch);
  let mustDrop = firstRequest !== undefined;
  if (firstRequest !== undefined) connection.write(requestLine('0', firstRequest));
  port.on('message', (request: string) => void connection.write(requestLine('0', request)));
  connection.on('data', (chunk: Buffer) => {
    for (const line of splitter.split(chunk)) {
      if (mustDrop) {
        mustDrop = false;
        continue;
      }
      port.postMessage(parseLine(line)[1]);
      Atomics.store(isAnswered, 0, 1);
      Atomics.notify(isAnswered, 0);
    }
  });
}
