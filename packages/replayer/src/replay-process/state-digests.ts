// A digest of what a thread of an engine holds where it stands: equal wherever the program is the same, by whatever way the engine has come there. So it is of what the program holds, which goes
// back, and of nothing of the runtime's, which does not; who waits for what is in eventuals. Nothing of the program runs but what tells of variables that functions have captured.
import type { ProgramState } from '@turntable/program-state';
import type { Scheduler } from '@turntable/runtime';
import type { ThreadRequests } from '@turntable/time-machine/replay-process';
import type { PromiseNotes } from './promise-notes.ts';
import type { Variables } from './variables.ts';

type Actor = Parameters<Scheduler['mailboxOf']>[0];

export interface Digested {
  readonly state: ProgramState;
  readonly scheduler: Scheduler | undefined;
  readonly promises: PromiseNotes | undefined;
  /** Of the statement that it is stopped at. */
  readonly variables: Variables;
  readonly wanted: ThreadRequests['digest']['params'];
  /** What has arrived for one. */
  mailOf(actor: Actor): readonly { readonly args: readonly unknown[] }[];
}

export function digestOf({ state, scheduler, promises, variables, wanted, mailOf }: Digested): string {
  const here = scheduler === undefined ? [] : [scheduler.main, ...scheduler.census.known()];
  const known = new Map(here.map((actor) => [actor.name, actor]));
  const actors = wanted.actors.map(({ name, mail }) => {
    const actor = known.get(name);
    const waiting = actor === undefined ? [] : mailOf(actor);
    return [name, actor?.root, mail.map((place) => waiting[place]?.args)];
  });
  const statement = [...variables].map(([name, held]) => [name, held?.value]);
  const awaited = wanted.awaited ? promises?.awaited.all : undefined;
  return state.digest([statement, actors, awaited], scheduler?.ownObjects() ?? []);
}
