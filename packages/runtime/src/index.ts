export { MessageQueue, type Deliver, type Recipient } from './message-queue.ts';
export { Passing, type PassingPorts } from './passing.ts';
export { RuntimeError, type RuntimeErrorCode } from './runtime-error.ts';
