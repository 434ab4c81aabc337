// The connection of a replay process to the transform service. Its threads share a descriptor, so only one of them
// sends a request at a time.
import { getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads';
import { createRemoteTransformService, readSync, writeSync, type TransformService } from '@turntable/loader';
import { LineSplitter } from './line-splitter.ts';
import { MAX_REQUEST_MS, parseLine, requestLine, TRANSFORM_DESCRIPTOR, TRANSFORM_VARIABLE } from './protocol.ts';

/** As they were before the program ran. */
const { compareExchange, notify, store, wait } = Atomics;
const THREAD_DATA_KEY = 'turntable:transform-service';
const FREE = 0;
const TAKEN = 1;
const READ_BYTES = 1 << 16;

/** The transform service of this process; undefined if this process transforms code itself. */
export function connectedTransformService(environment: NodeJS.ProcessEnv): TransformService | undefined {
  if (environment[TRANSFORM_VARIABLE] !== undefined) {
    Reflect.deleteProperty(environment, TRANSFORM_VARIABLE);
    // Node gives this data to each worker, with the memory shared.
    setEnvironmentData(THREAD_DATA_KEY, new Int32Array(new SharedArrayBuffer(4)) as never);
  }
  const lock = getEnvironmentData(THREAD_DATA_KEY) as unknown as Int32Array | undefined;
  return lock === undefined ? undefined : createRemoteTransformService(askThrough(lock));
}

function askThrough(lock: Int32Array): (request: string) => string {
  let requestCount = 0;
  return (request) => {
    const id = `${threadId}.${++requestCount}`;
    // A thread that has the connection for longer was terminated during its request.
    while (compareExchange(lock, 0, FREE, TAKEN) !== FREE)
      if (wait(lock, 0, TAKEN, MAX_REQUEST_MS) === 'timed-out') break;
    try {
      send(requestLine(id, request));
      return receive(id);
    } finally {
      store(lock, 0, FREE);
      notify(lock, 0, 1);
    }
  };
}

function send(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;) written += writeSync(TRANSFORM_DESCRIPTOR, bytes, written);
}

/** Waits for the answer. Skips those to requests of terminated threads. */
function receive(id: string): string {
  const splitter = new LineSplitter();
  for (;;) {
    const chunk = Buffer.allocUnsafe(READ_BYTES);
    const length = readSync(TRANSFORM_DESCRIPTOR, chunk, 0, chunk.length, null);
    if (length === 0) throw new Error('the transform service has ended');
    for (const line of splitter.split(chunk.subarray(0, length))) {
      const [answeredId, answer] = parseLine(line);
      if (answeredId === id) return answer;
    }
  }
}
