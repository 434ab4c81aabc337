// Connects a scheduler to another worker, through the rings and the port that the main thread created for the pair.

import type { LinkData, WorkerLoss } from './control-messages.ts';
import { Link, type LinkOwner } from './messaging/link.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import { Bell } from './transport/bell.ts';

export function connect(scheduler: Scheduler, data: LinkData): void {
  scheduler.workerLinks.connect(linkFactory(data));
}

/** Processes the loss of a worker, and connects to its replacement if there is one. */
export function loseWorker(scheduler: Scheduler, { worker, epoch, reason, successor, isRestored }: WorkerLoss): void {
  const nextLink = successor === undefined ? undefined : { createLink: linkFactory(successor), isRestored };
  scheduler.workerLinks.loseWorker(worker, epoch, reason, nextLink);
}

function linkFactory({ bell, ...data }: LinkData): (owner: LinkOwner, lossReason?: string) => Link {
  return (owner, lossReason = data.lossReason) => {
    const link = new Link(owner, { ...data, lossReason, bell: new Bell(bell) });
    // Messages that may still arrive do not keep the thread alive.
    data.port.unref();
    return link;
  };
}
