// What led to a stretch: it was sent by one that was sent by one, and so on. So an actor's turn is known by more than the stack that it has.
import type { SurveyIndex } from '../survey/survey-index.ts';

export interface Senders {
  /** From the stretch itself on, back. */
  readonly orders: readonly number[];
  /** Why it goes no further back; nothing if more was not asked for. */
  readonly why: string | undefined;
}

export function sendersOf(index: SurveyIndex, order: number, count: number): Senders {
  if (order > index.count) return { orders: [], why: 'the end was sent by nobody' };
  const orders: number[] = [];
  for (let at: number | undefined = order; at !== undefined && orders.length < count; at = index.sender(at))
    orders.push(at);
  const last = orders.at(-1);
  if (last === undefined || index.sender(last) !== undefined) return { orders, why: undefined };
  return { orders, why: whyNobody(index, last) };
}

function whyNobody(index: SurveyIndex, order: number): string {
  switch (index.kind(order)) {
    case 'evaluation':
      return 'the program begins there';
    case 'entry':
      return `it came from outside: ${index.source(order)}`;
    case 'jobs':
      return 'it came of what the worker had taken';
    default:
      return 'who has sent that is not known: it was under way when the recording began, or Turntable has sent it';
  }
}
