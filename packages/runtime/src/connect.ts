// Joins a scheduler to another worker by what the main thread has made for the two.

import type { LinkData } from './control.ts';
import { Link } from './link.ts';
import type { Scheduler } from './scheduler.ts';
import { Bell } from './transport/wake-up.ts';

export function connect(scheduler: Scheduler, { bell, ...data }: LinkData): void {
  scheduler.neighbours.connect((owner) => new Link(owner, { ...data, bell: new Bell(bell) }));
}
