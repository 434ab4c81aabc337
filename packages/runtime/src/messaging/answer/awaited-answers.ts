// For observers of a replay: the call that an eventual answers, and where outcomes go. Noted when a call is sent: taken messages do not tell, and
// the runtime's tables may be ahead of the program (docs/engine.md, "Back in place"). Uses the language's own methods: an undo log notes the program's.

import { Eventual } from '@turntable/core';
import type { Actor } from '../../actors/actor.ts';
import { calledName, type Called } from '../../channels.ts';
import { FarRef } from '../../references/far-ref.ts';
import { Link } from '../link.ts';
import type { QueueEntry } from '../queue-state.ts';
import { Forward, Later, Passed, PASSED } from './outcomes.ts';
import type { Outgoing } from '../send/outgoing.ts';

/** What an eventual waits for that is an answer. */
export interface AwaitedAnswer {
  readonly asked: Actor;
  /** What it was asked to do; its end, if it is nothing. */
  readonly call: string | undefined;
  /** Of an actor elsewhere: the number of the question among those of this worker to that one. */
  readonly question: number | undefined;
}

const { apply } = Reflect;
const { get, set, has } = WeakMap.prototype;

export class AwaitedAnswers {
  readonly #known = new WeakMap<object, AwaitedAnswer>();

  /** Of what is asked from now on. */
  constructor(outgoing: Outgoing) {
    const { send, sendMany, callOn } = outgoing;
    outgoing.send = (ref, asks, call, ...rest) => {
      const settles = send.call(outgoing, ref, asks, call, ...rest);
      this.#note(settles, FarRef.actorOf(ref), call);
      return settles;
    };
    outgoing.sendMany = (ref, asks, call, args) => {
      const settles = sendMany.call(outgoing, ref, asks, call, args);
      this.#note(settles, FarRef.actorOf(ref), call);
      return settles;
    };
    outgoing.callOn = (target, settles, call, args, trail) => {
      if (FarRef.has(target)) this.#note(settles, FarRef.actorOf(target), call);
      callOn.call(outgoing, target, settles, call, args, trail);
    };
    const note = this.#note.bind(this);
    const { ask } = Link.prototype;
    Link.prototype.ask = function (this: Link, eventual, actor, asked, call) {
      const question = ask.call(this, eventual, actor, asked, call);
      note(eventual, asked, call, question);
      return question;
    };
  }

  /** Of what waits for an answer already, as it was in a snapshot. */
  noteTables(queue: readonly QueueEntry<Actor>[], links: readonly Link[]): void {
    for (const entry of queue) {
      if (entry.what !== 'sent' || !Eventual.has(entry.settles)) continue;
      const call = entry.call as Called;
      // What else there is comes back to who has asked, or is asked by nobody.
      if (typeof call === 'string' || 'name' in call) this.#note(entry.settles, entry.recipient, calledName(call));
    }
    for (const link of links)
      for (const [question, { eventual, asked, call }] of link.read().asked)
        this.#note(eventual, asked, call, question);
  }

  #note(settles: Eventual | undefined, asked: Actor, call: string | undefined, question?: number): void {
    if (settles === undefined) return;
    // Of what was asked elsewhere the link has said it with its number.
    if (question === undefined && (apply(has, this.#known, [settles]) as boolean)) return;
    const answer: AwaitedAnswer = { asked, call, question };
    apply(set, this.#known, [settles, answer]);
  }

  of(eventual: object): AwaitedAnswer | undefined {
    return apply(get, this.#known, [eventual]) as AwaitedAnswer | undefined;
  }
}

/** Where an outcome goes that somebody outside of the realm has asked for. */
export type Destination =
  /** Who has asked an actor, by an eventual here or by the number of a question elsewhere; `call` is nothing where an eventual was passed. */
  | {
      readonly to: 'asker';
      readonly asker: Actor;
      readonly owner: Actor;
      readonly call: string | undefined;
      readonly settles: Eventual | number | undefined;
    }
  /** Another worker, to which an eventual was passed. */
  | { readonly to: 'worker'; readonly worker: number }
  /** A message to what it will be. */
  | { readonly to: 'message'; readonly call: string; readonly settles: Eventual | undefined };

/** Nothing, if it is no message that the outcome goes with. */
export function destinationOf(target: object): Destination | undefined {
  if (target instanceof Forward) {
    const { owner, to, settles, call } = target;
    return { to: 'asker', asker: to, owner, call: call === PASSED ? undefined : call, settles };
  }
  if (target instanceof Passed) return { to: 'worker', worker: target.link.peer.worker };
  if (target instanceof Later) return { to: 'message', call: target.call, settles: target.settles };
  return undefined;
}
