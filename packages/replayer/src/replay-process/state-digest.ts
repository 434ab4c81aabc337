// Digest of a thread's program at its position, independent of how the replay reached it. It includes the state of the
// program, which moves back undo, but not the state of the runtime, which they keep. No code of the program runs
// except accessors of captured variables.
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
  /** Variables of the statement at which the thread is paused. */
  readonly variables: Variables;
  readonly query: ThreadRequests['digest']['params'];
  /** Messages that have arrived for an actor. */
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
