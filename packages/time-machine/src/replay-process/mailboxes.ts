// What waits for actors where all stand: what has arrived where they live, and what is under way to them. Which of it has been sent by then is told by the survey: what has arrived depends on how one
// has come there.
import type { Position } from '../position.ts';
import type { Survey } from '../survey/survey.ts';
import { SurveyIndex } from '../survey/survey-index.ts';
import { isMade, waitingTurns, type ActorThere, type WaitingTurn } from '../survey/waiting-turns.ts';
import type { Page, ThreadRequests, WaitingMessage } from './protocol.ts';

type Asked = ThreadRequests['mailbox'];

export interface Mailbox {
  /** The next one first. */
  readonly messages: readonly WaitingMessage[];
  /** Number of all messages. */
  readonly total: number;
}

export class Mailboxes {
  readonly #survey: Survey;

  constructor(survey: Survey) {
    this.#survey = survey;
  }

  /** @param ask whoever knows what has arrived */
  async at(
    position: Position,
    { worker, life, id }: { readonly worker: number; readonly life: number; readonly id: number },
    { from, count }: Page,
    ask: (wanted: Asked['params']) => Promise<Asked['result']>,
  ): Promise<Mailbox> {
    const { there, name } = await ask({ actor: id, places: [] });
    const waiting = waitingTurns(SurveyIndex.of(this.#survey), position, { worker, life, name }, there);
    const page = waiting.slice(from, from + count);
    const places = page.map(({ at }) => at).filter((at) => at < there);
    const arrived = places.length === 0 ? [] : (await ask({ actor: id, places })).messages;
    let next = 0;
    const messages = page.map((turn) => {
      const its = turn.at < there ? (arrived[next++] as WaitingMessage) : this.#underWay(turn);
      return { ...its, from: its.from ?? this.#nameOf(turn.sender) };
    });
    return { messages, total: waiting.length };
  }

  /** How much waits for an actor for which so much has arrived. */
  count(position: Position, actor: ActorThere, there: number): number {
    return waitingTurns(SurveyIndex.of(this.#survey), position, actor, there).length;
  }

  /** Whether an actor is there: one that is still to be made may be known by then, or not. */
  has(position: Position, actor: ActorThere): boolean {
    return isMade(SurveyIndex.of(this.#survey), position, actor);
  }

  #nameOf(sender: number | undefined): string | undefined {
    return sender === undefined ? undefined : this.#survey.actor(sender);
  }

  #underWay({ order, what = '' }: WaitingTurn): WaitingMessage {
    if (order === undefined) return { what, from: undefined, values: undefined };
    const { method, kind } = this.#survey.stretch(order);
    return { what: method ?? kind, from: undefined, values: undefined };
  }
}
