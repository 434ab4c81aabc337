// Replaces `node:worker_threads` in simulated code.
export * from 'node:worker_threads';
export {
  SimulatedChannel as MessageChannel,
  SimulatedWorker as Worker,
  receiveMessageOnPort,
} from './simulated-ports.ts';

// Entries are called with the port and data of their thread.
export const parentPort = null;
export const workerData = null;
