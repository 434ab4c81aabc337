export { FarRef, type Teller } from './far-ref.ts';
export { MessageQueue, type Deliver, type Recipient } from './message-queue.ts';
export { Passing, type PassingPorts, type TypeChecks } from './passing.ts';
export { RuntimeError, type RuntimeErrorCode } from './runtime-error.ts';
export { Scheduler, type SchedulerHost } from './scheduler.ts';
