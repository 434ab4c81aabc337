// How a standby thread gets its assignment (standby-assignment.ts). The thread blocks while it is being loaded, so the
// assignment comes through a port and a word in shared memory wakes the thread.
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

/** Must be called once. */
export function sendAssignment(
  { signal, port }: AssignmentPort,
  assignment: unknown,
  transfer: readonly Transferable[] = [],
): void {
  port.postMessage(assignment, transfer);
  Atomics.store(new Int32Array(signal), 0, 1);
  Atomics.notify(new Int32Array(signal), 0);
}

/** Blocks the thread until there is an assignment, and returns it. */
export function waitForAssignment({ signal, port }: AssignmentPort): unknown {
  Atomics.wait(new Int32Array(signal), 0, 0);
  const received = receiveMessageOnPort(port) as { readonly message: unknown } | undefined;
  port.close();
  return received?.message;
}
