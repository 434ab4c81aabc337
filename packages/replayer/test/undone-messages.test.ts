// Tests the mailboxes of a thread that has moved back, against a model that delivers and handles messages in order.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Message, MessageRecipient } from '../src/replay-process/task-undo-entry.ts';
import {
  isConstruction,
  nextRecipientOf,
  undoneMessagesOf,
  waitingMessagesOf,
  type UndoneTask,
} from '../src/replay-process/undone-messages.ts';

const ACTORS = ['ann', 'bob'].map((name) => ({ name }) as unknown as MessageRecipient);
const [ANN, BOB] = ACTORS as [MessageRecipient, MessageRecipient];
type Enqueued = UndoneTask['enqueued'][number];

const messageTo = (recipient: MessageRecipient, call: unknown = ['say']): Message =>
  ({ recipient, call }) as unknown as Message;

/** Tasks as the undo log lists them: latest first. Each handles the first message of an actor, if any, and sends some. */
function runTasks(plans: readonly { readonly handler: number; readonly sent: readonly number[] }[]) {
  const boxes = new Map<MessageRecipient, Message[]>(ACTORS.map((actor) => [actor, []]));
  const states: Map<MessageRecipient, Message[]>[] = [];
  const tasks: UndoneTask[] = [];
  const snapshot = (): Map<MessageRecipient, Message[]> => new Map([...boxes].map(([actor, box]) => [actor, [...box]]));
  for (const { handler, sent } of plans) {
    states.push(snapshot());
    const handledMessage = boxes.get(ACTORS[handler] as MessageRecipient)?.shift();
    const enqueued = sent.map((to, answer): Enqueued => {
      const recipient = ACTORS[to] as MessageRecipient;
      boxes.get(recipient)?.push(messageTo(recipient));
      return { recipient, answer } as unknown as Enqueued;
    });
    tasks.unshift({ handledMessage, enqueued, repeatedCalls: undefined } as unknown as UndoneTask);
  }
  return { tasks, states, atFront: snapshot() };
}

const plans = fc.array(fc.record({ handler: fc.nat(2), sent: fc.array(fc.nat(1), { maxLength: 3 }) }), {
  maxLength: 8,
});

it('messages that waited before the undone tasks wait again, in order', () => {
  fc.assert(
    fc.property(plans, fc.nat(8), (all, undoneCount) => {
      const { tasks, states, atFront } = runTasks(all);
      const undone = tasks.slice(0, undoneCount);
      const expected = states[all.length - undone.length] ?? atFront;
      for (const actor of ACTORS) {
        expect(waitingMessagesOf(actor, atFront.get(actor) ?? [], undone)).toEqual(expected.get(actor));
        const handled = undone.flatMap(({ handledMessage }) =>
          handledMessage?.recipient === actor ? [handledMessage] : [],
        );
        expect(undoneMessagesOf(actor, undone)).toEqual(handled);
      }
    }),
  );
});

it('a task that is being re-executed has handled its message, and sent those of the host calls that it has made', () => {
  const [handled, sent] = [messageTo(ANN), [messageTo(BOB), messageTo(BOB), messageTo(BOB)]];
  const waiting = (repeatedCalls: number | undefined): [number, number] => {
    const enqueued = sent.map((_, answer) => ({ recipient: BOB, answer }));
    const task = { handledMessage: handled, enqueued, repeatedCalls } as unknown as UndoneTask;
    return [waitingMessagesOf(ANN, [], [task]).length, waitingMessagesOf(BOB, sent, [task]).length];
  };
  expect([undefined, 0, 1, 2, 3].map(waiting)).toEqual([
    [1, 0],
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
  ]);
  const repeated = { handledMessage: handled, enqueued: [], repeatedCalls: 0 } as unknown as UndoneTask;
  expect(undoneMessagesOf(ANN, [repeated])).toEqual([]);
});

it('the next turn is that of the earliest undone task, unless it creates its actor', () => {
  const task = (handledMessage: Message | undefined): UndoneTask => ({ handledMessage }) as unknown as UndoneTask;
  const construction = messageTo(BOB, { kind: 'construct' });
  expect(nextRecipientOf([])).toBeUndefined();
  expect(nextRecipientOf([task(messageTo(ANN)), task(messageTo(BOB))])).toBe(BOB);
  expect(nextRecipientOf([task(messageTo(ANN)), task(undefined)])).toBe('none');
  expect(isConstruction(construction)).toBe(true);
  expect(isConstruction(messageTo(ANN, { kind: 'stop' }))).toBe(false);
  expect(nextRecipientOf([task(messageTo(ANN)), task(construction)])).toBe('none');
});
