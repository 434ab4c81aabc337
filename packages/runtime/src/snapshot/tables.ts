// What a scheduler keeps in mind beside its queue, as it is written down at the cut: eventuals as their actors know them, links by their workers,
// times as what is left of them.

import type { Eventual } from '@turntable/core';
import type { Actor } from '../actors/actor.ts';
import type { Deadline } from '../messaging/answer/deadline.ts';
import type { LinkState, Waiting } from '../messaging/link.ts';
import type { Asked } from '../scheduler/questions.ts';
import type { SchedulerState } from '../scheduler/scheduler-state.ts';
import type { Tracked } from '../messaging/answer/trail.ts';
import type { Arrival, ExpectedState } from '../actors/unborn.ts';
import type { Debts } from './debts.ts';
import type { Restored } from './restored.ts';

/** An actor that others are held on account of, that is held itself, or whose messages are put aside. */
export type Pressed = Pick<Actor, 'isAside' | 'isHeld' | 'waiting'> & {
  readonly actor: Actor;
  readonly held: readonly Actor[] | undefined;
  readonly heldWorkers: readonly number[] | undefined;
};

export type Tables = Omit<SchedulerState, 'queue'> & { readonly pressed: readonly Pressed[] };

/** Those that a scheduler keeps in mind, and others that are known to be. */
export function pressedIn({ unborn, references }: Tables['neighbours'], others: readonly Actor[]): Pressed[] {
  const actors = new Set([
    ...others,
    ...unborn.expected.map(({ actor }) => actor),
    ...references.strangers.flatMap(({ actor }) => (actor.waiting > 0 ? [actor] : [])),
  ]);
  return [...actors].map((actor) => {
    const { isAside, isHeld, waiting, held, heldWorkers } = actor;
    return { actor, isAside, isHeld, waiting, held: held?.slice(), heldWorkers: heldWorkers?.slice() };
  });
}

type Named<T, K extends keyof T> = Omit<T, K> & { readonly [key in K]: number };

interface WrittenTables extends Omit<Tables, 'neighbours' | 'deadlines' | 'tracked' | 'asked'> {
  readonly neighbours: Omit<Tables['neighbours'], 'links' | 'unborn'> & {
    readonly links: readonly (Omit<LinkState, 'asked' | 'passed'> & {
      readonly asked: readonly (readonly [number, Named<Waiting, 'eventual'>])[];
      readonly passed: readonly (readonly [number, Named<Waiting, 'eventual'>])[];
    })[];
    readonly unborn: Omit<Tables['neighbours']['unborn'], 'expected'> & {
      readonly expected: readonly (Omit<ExpectedState, 'messages'> & {
        readonly messages: readonly (Omit<Arrival, 'link'> & { readonly worker: number })[];
      })[];
    };
  };
  readonly deadlines: {
    readonly numbers: number;
    readonly waiting: readonly (Named<Deadline, 'settles'> & { readonly left: number | undefined })[];
  };
  readonly tracked: readonly Named<Tracked, 'eventual'>[];
  readonly asked: readonly Named<Asked, 'eventual'>[];
}

/** `now`: milliseconds since 1970. */
export function writeTables(tables: Tables, debts: Debts, now: number): WrittenTables {
  const { neighbours, deadlines, tracked, asked, ...rest } = tables;
  const { links, unborn } = neighbours;
  const named = (waiting: Waiting): Named<Waiting, 'eventual'> => ({
    ...waiting,
    eventual: debts.ticketOf(waiting.eventual, waiting.actor),
  });
  const each = ([number, waiting]: readonly [number, Waiting]): readonly [number, Named<Waiting, 'eventual'>] => [
    number,
    named(waiting),
  ];
  return {
    ...rest,
    neighbours: {
      ...neighbours,
      links: links.map((link) => ({ ...link, asked: link.asked.map(each), passed: link.passed.map(each) })),
      unborn: {
        ...unborn,
        expected: unborn.expected.map((expected) => ({
          ...expected,
          messages: expected.messages.map(({ link, ...message }) => ({ ...message, worker: link.worker })),
        })),
      },
    },
    deadlines: {
      numbers: deadlines.numbers,
      waiting: deadlines.waiting.map((deadline) => ({
        ...deadline,
        settles: debts.ticketOf(deadline.settles, deadline.actor),
        left: deadline.until === undefined ? undefined : deadline.until - now,
      })),
    },
    tracked: tracked.map((one) => ({ ...one, eventual: debts.ticketOf(one.eventual, one.actor) })),
    asked: asked.map((one) => ({ ...one, eventual: debts.ticketOf(one.eventual, one.actor) })),
  };
}

/** `sentIn`: the phase in which what comes first by a link was sent. */
export function readTables(
  written: WrittenTables,
  restored: Restored,
  now: number,
  sentIn: (link: { readonly phase: number }) => number,
): Tables {
  const { neighbours, deadlines, tracked, asked } = written;
  const eventual = (ticket: number): Eventual => restored.settles(ticket, true) as Eventual;
  const each = ([number, waiting]: readonly [number, Named<Waiting, 'eventual'>]): readonly [number, Waiting] => [
    number,
    { ...waiting, eventual: eventual(waiting.eventual) },
  ];
  const { links, unborn } = neighbours;
  return {
    ...written,
    neighbours: {
      ...neighbours,
      links: links.map((link) => ({
        ...link,
        phase: sentIn(link),
        asked: link.asked.map(each),
        passed: link.passed.map(each),
      })),
      unborn: {
        ...unborn,
        expected: unborn.expected.map((expected) => ({
          ...expected,
          // What was under way may have brought the first reference to it.
          ref: expected.ref ?? restored.rootOf(expected.actor),
          messages: expected.messages.map(({ worker, ...message }) => ({ ...message, link: restored.linkOf(worker) })),
        })),
      },
    },
    deadlines: {
      numbers: deadlines.numbers,
      waiting: deadlines.waiting.map(({ left, ...deadline }) => ({
        ...deadline,
        settles: eventual(deadline.settles),
        until: left === undefined ? undefined : now + left,
      })),
    },
    tracked: tracked.map((one) => ({ ...one, eventual: eventual(one.eventual) })),
    asked: asked.map((one) => ({ ...one, eventual: eventual(one.eventual) })),
  };
}
