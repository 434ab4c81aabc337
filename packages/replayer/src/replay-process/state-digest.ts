// A digest of what a thread of an engine holds where it stands: equal wherever the program is the same, by whatever way the engine has come there. So it is of what the program holds, which goes
// back, and of nothing of the runtime's, which does not; who waits for what is in eventuals. Nothing of the program runs but what tells of variables that functions have captured.
import type { ProgramState } from '@turntable/program-state';
import type { Scheduler } from '@turntable/runtime';
import type { ThreadRequests } from '@turntable/time-machine/replay-process';
import type { PromiseTracker } from './promise-tracker.ts';
import type { Variables } from './variables.ts';

type Actor = Parameters<Scheduler['mailboxOf']>[0];

export interface StateDigestInput {
  readonly programState: ProgramState;
  readonly scheduler: Scheduler | undefined;
  readonly promiseTracker: PromiseTracker | undefined;
  /** Of the statement that it is stopped at. */
  readonly variables: Variables;
  readonly query: ThreadRequests['digest']['params'];
  /** What has arrived for one. */
  mailboxOf(actor: Actor): readonly { readonly args: readonly unknown[] }[];
}

export function digestState({
  programState: state,
  scheduler,
  promiseTracker: promises,
  variables,
  query,
  mailboxOf: mailOf,
}: StateDigestInput): string {
  const residentActors = scheduler === undefined ? [] : [scheduler.main, ...scheduler.census.actors()];
  const actorsByName = new Map(residentActors.map((actor) => [actor.name, actor]));
  const actors = query.actors.map(({ name, mailIndexes }) => {
    const actor = actorsByName.get(name);
    const mailbox = actor === undefined ? [] : mailOf(actor);
    return [name, actor?.root, mailIndexes.map((index) => mailbox[index]?.args)];
  });
  const statement = [...variables].map(([name, variable]) => [name, variable?.value]);
  const awaited = query.includeAwaited ? promises?.awaitedEventuals.all : undefined;
  return state.digest([statement, actors, awaited], scheduler?.runtimeAdapters() ?? []);
}
