// Joins a scheduler to another worker by what the main thread has made for the two.

import type { LinkData, Loss } from './control.ts';
import { Link, type LinkOwner } from './messaging/link.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import { Bell } from './transport/wake-up.ts';

export function connect(scheduler: Scheduler, data: LinkData): void {
  scheduler.neighbours.connect(linkOf(data));
}

/** A worker has ended; perhaps another one takes its place. */
export function lose(scheduler: Scheduler, { worker, life, why, successor, isRestored }: Loss): void {
  const next = successor === undefined ? undefined : { link: linkOf(successor), isRestored };
  scheduler.neighbours.lose(worker, life, why, next);
}

function linkOf({ bell, ...data }: LinkData): (owner: LinkOwner, before?: string) => Link {
  return (owner, before = data.before) => {
    const link = new Link(owner, { ...data, before, bell: new Bell(bell) });
    // What may still come from others keeps no thread.
    data.port.unref();
    return link;
  };
}
