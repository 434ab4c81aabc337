// What waits for actors where all stand: what has arrived where they live, and what is under way to them. Which of it has been sent by then is told by the survey: what has arrived depends on how one
// has come there.
import type { Position } from '../position.ts';
import { LaterTurnsOfAll, waitingAmong } from '../survey/later-turns.ts';
import type { Survey } from '../survey/survey.ts';
import type { ActorHere, Mailbox, Page, WaitingMessage } from './engine.ts';
import type { Questions } from './messages.ts';

type Asked = Questions['mailbox'];

export class Mailboxes {
  readonly #survey: Survey;
  #last: { readonly position: Position; readonly turns: LaterTurnsOfAll } | undefined;

  constructor(survey: Survey) {
    this.#survey = survey;
  }

  /** @param ask whoever knows what has arrived */
  async at(
    position: Position,
    { worker, id }: { readonly worker: number; readonly id: number },
    { from, count }: Page,
    ask: (wanted: Asked['wanted']) => Promise<Asked['answer']>,
  ): Promise<Mailbox> {
    const { there, name } = await ask({ actor: id, places: [] });
    const waiting = waitingAmong(this.#turnsAt(position).of(worker, name), there);
    const page = waiting.slice(from, from + count);
    const places = page.map(({ at }) => at).filter((at) => at < there);
    const arrived = places.length === 0 ? [] : (await ask({ actor: id, places })).messages;
    let next = 0;
    const messages = page.map(({ at, turn }) =>
      at < there ? (arrived[next++] as WaitingMessage) : this.#underWay(turn as number),
    );
    return { messages, total: waiting.length };
  }

  /** Actors with how much waits for them, where there was told how much has arrived. */
  counted(position: Position, actors: readonly ActorHere[]): ActorHere[] {
    const turns = this.#turnsAt(position);
    return actors.map((actor) => {
      const { worker, name, waiting: there } = actor;
      return { ...actor, waiting: waitingAmong(turns.of(worker, name), there).length };
    });
  }

  #turnsAt(position: Position): LaterTurnsOfAll {
    const { order, list, statement } = position;
    const last = this.#last?.position;
    if (last?.order !== order || last.list !== list || last.statement !== statement)
      this.#last = { position, turns: new LaterTurnsOfAll(this.#survey, position) };
    return (this.#last as { readonly turns: LaterTurnsOfAll }).turns;
  }

  #underWay(turn: number): WaitingMessage {
    const { method, kind, sender } = this.#survey.stretch(turn);
    const from = sender === undefined ? undefined : this.#survey.stretch(sender).actor;
    return { what: method ?? kind, from, values: undefined };
  }
}
