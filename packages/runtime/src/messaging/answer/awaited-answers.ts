// The calls whose answers eventuals await, and the destinations of outcomes, for observers of a replay. Calls are noted
// when they are sent: taken messages do not show them, and the runtime's tables may be ahead of the program
// (docs/internals/replay-process.md, "In-place undo"). Uses intrinsic methods, since an undo log observes the program's.

import { Eventual } from '@turntable/core';
import type { ActorCell } from '../../actors/actor-cell.ts';
import { turnSubjectName, type TurnSubject } from '../../channels.ts';
import { FarReference } from '../../references/far-reference.ts';
import { Link } from '../link.ts';
import type { QueueEntry } from '../queue-state.ts';
import { ReplyForward, PipelinedCall, WorkerForward, PASSED_EVENTUAL } from './forward-targets.ts';
import type { OutgoingCalls } from '../send/outgoing-calls.ts';

/** The answer that an eventual awaits. */
export interface AwaitedAnswer {
  readonly callee: ActorCell;
  /** The called method; undefined if the end of the actor is awaited. */
  readonly call: string | undefined;
  /** Id of a call to another worker; undefined for calls within this worker. */
  readonly callId: number | undefined;
}

const { apply } = Reflect;
const { get, set, has } = WeakMap.prototype;

export class AwaitedAnswers {
  readonly #answers = new WeakMap<object, AwaitedAnswer>();

  /** Notes all calls that `outgoing` sends from now on. */
  constructor(outgoing: OutgoingCalls) {
    const { send, sendMany, callOn } = outgoing;
    outgoing.send = (ref, expectsReply, call, ...rest) => {
      const replyTo = send.call(outgoing, ref, expectsReply, call, ...rest);
      this.#note(replyTo, FarReference.actorOf(ref), call);
      return replyTo;
    };
    outgoing.sendMany = (ref, expectsReply, call, args) => {
      const replyTo = sendMany.call(outgoing, ref, expectsReply, call, args);
      this.#note(replyTo, FarReference.actorOf(ref), call);
      return replyTo;
    };
    outgoing.callOn = (target, replyTo, call, args, trail) => {
      if (FarReference.has(target)) this.#note(replyTo, FarReference.actorOf(target), call);
      callOn.call(outgoing, target, replyTo, call, args, trail);
    };
    const note = this.#note.bind(this);
    const { registerCall } = Link.prototype;
    Link.prototype.registerCall = function (this: Link, eventual, actor, callee, call) {
      const callId = registerCall.call(this, eventual, actor, callee, call);
      note(eventual, callee, call, callId);
      return callId;
    };
  }

  /** Notes the calls of a snapshot whose answers are awaited. */
  noteTables(queue: readonly QueueEntry<ActorCell>[], links: readonly Link[]): void {
    for (const entry of queue) {
      if (entry.kind !== 'send' || !Eventual.is(entry.replyTo)) continue;
      const call = entry.call as TurnSubject;
      // Messages of other kinds have no caller that awaits an answer.
      if (typeof call === 'string' || 'name' in call) this.#note(entry.replyTo, entry.recipient, turnSubjectName(call));
    }
    for (const link of links)
      for (const [callId, { eventual, callee, call }] of link.getState().pendingCalls)
        this.#note(eventual, callee, call, callId);
  }

  #note(replyTo: Eventual | undefined, callee: ActorCell, call: string | undefined, callId?: number): void {
    if (replyTo === undefined) return;
    // A call to another worker has been noted by `registerCall`, with its id.
    if (callId === undefined && (apply(has, this.#answers, [replyTo]) as boolean)) return;
    const answer: AwaitedAnswer = { callee, call, callId };
    apply(set, this.#answers, [replyTo, answer]);
  }

  of(eventual: object): AwaitedAnswer | undefined {
    return apply(get, this.#answers, [eventual]) as AwaitedAnswer | undefined;
  }
}

/** Destination of an outcome outside the realm. */
export type Destination =
  /** An actor: the caller of a method, or the recipient of a passed eventual. */
  | {
      readonly to: 'asker';
      readonly asker: ActorCell;
      readonly owner: ActorCell;
      /** The called method; undefined for a passed eventual. */
      readonly call: string | undefined;
      /** Eventual of `asker`, or the call id if `asker` is on another worker; undefined if it wants no reply. */
      readonly replyTo: Eventual | number | undefined;
    }
  /** Another worker, to which the eventual was passed. */
  | { readonly to: 'worker'; readonly worker: number }
  /** A message that was sent to the eventual's value. */
  | { readonly to: 'message'; readonly call: string; readonly replyTo: Eventual | undefined };

/** Returns the destination of an outcome; undefined unless the runtime created the target. */
export function destinationOf(target: object): Destination | undefined {
  if (target instanceof ReplyForward) {
    const { owner, to, replyTo, call } = target;
    return { to: 'asker', asker: to, owner, call: call === PASSED_EVENTUAL ? undefined : call, replyTo };
  }
  if (target instanceof WorkerForward) return { to: 'worker', worker: target.link.peer.worker };
  if (target instanceof PipelinedCall) return { to: 'message', call: target.call, replyTo: target.replyTo };
  return undefined;
}
