// Port through which a standby thread gets its assignment (standby-assignment.ts). The thread waits without its event
// loop, so a word in shared memory wakes it.
import { MessageChannel, receiveMessageOnPort, type MessagePort, type Transferable } from 'node:worker_threads';

export interface AssignmentPort {
  readonly signal: SharedArrayBuffer;
  readonly port: MessagePort;
}

export function createAssignmentPorts(): [receiver: AssignmentPort, sender: AssignmentPort] {
  const signal = new SharedArrayBuffer(4);
  const { port1, port2 } = new MessageChannel();
  return [
    { signal, port: port1 },
    { signal, port: port2 },
  ];
}

/** Sends the assignment and wakes the thread. Must be called once. */
export function sendAssignment(
  { signal, port }: AssignmentPort,
  assignment: unknown,
  transfer: readonly Transferable[] = [],
): void {
  port.postMessage(assignment, transfer);
  Atomics.store(new Int32Array(signal), 0, 1);
  Atomics.notify(new Int32Array(signal), 0);
}

/** Blocks the thread until the assignment arrives. */
export function waitForAssignment({ signal, port }: AssignmentPort): unknown {
  Atomics.wait(new Int32Array(signal), 0, 0);
  const received = receiveMessageOnPort(port) as { readonly message: unknown } | undefined;
  port.close();
  return received?.message;
}
