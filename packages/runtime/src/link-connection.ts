// Joins a scheduler to another worker by what the main thread has made for the two.

import type { LinkData, WorkerLoss } from './control-messages.ts';
import { Link, type LinkOwner } from './messaging/link.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import { Bell } from './transport/bell.ts';

export function connect(scheduler: Scheduler, data: LinkData): void {
  scheduler.workerLinks.connect(linkFactory(data));
}

/** A worker has ended; perhaps another one takes its place. */
export function loseWorker(scheduler: Scheduler, { worker, epoch, reason, successor, isRestored }: WorkerLoss): void {
  const nextLink = successor === undefined ? undefined : { createLink: linkFactory(successor), isRestored };
  scheduler.workerLinks.loseWorker(worker, epoch, reason, nextLink);
}

function linkFactory({ bell, ...data }: LinkData): (owner: LinkOwner, lossReason?: string) => Link {
  return (owner, lossReason = data.lossReason) => {
    const link = new Link(owner, { ...data, lossReason, bell: new Bell(bell) });
    // What may still come from others keeps no thread.
    data.port.unref();
    return link;
  };
}
