// The domain TimeTravel: what Chrome's protocol has no commands for. Moves are answered when all stand there, behind Debugger.paused.
import {
  boolean,
  integer,
  array,
  longString,
  dictionary,
  number,
  object,
  stringEnum,
  optional,
  union,
} from '@turntable/time-machine/protocol';
import { anyValue, emptyObject, anyObject, type Domain } from './command.ts';

const direction = optional(stringEnum(['forward', 'backward'], 'forward unless it is said'));
const position = longString('a position: phase and number of a task (2.137), perhaps with a statement (2.137:45.2)');
const moveArguments = optional(dictionary(union(longString(''), number('')), 'by the names of its parameters'));
const moveParams = { move: longString('the id of a move'), direction, arguments: moveArguments } as const;
const moveResult = object({
  found: boolean('whether there is such a place'),
  reason: optional(longString('why there is none')),
  note: optional(longString('what is to be said of it')),
  lastWrite: optional(anyObject('of whoWrote: how it has come to its value')),
  cursor: anyObject('where all stand'),
});
const backCommand = (description: string) =>
  ({ description, params: emptyObject, returns: moveResult, isLongRunning: true }) as const;
const order = optional(integer('the place of a task among all, from 1 on', 1));

export const TIME_TRAVEL = {
  description: 'Moving about in a recording. The server of the time machine describes its moves itself: ask for them.',
  commands: {
    stepBack: backCommand('To the previous statement here or in who has called this; the same as stepBackOver.'),
    stepBackOver: backCommand('To the previous statement here or in who has called this, over what was called.'),
    stepBackInto: backCommand('To the previous statement of all.'),
    stepBackOut: backCommand('To the statement that has called this function.'),
    reverse: backCommand('To the previous breakpoint; to the beginning of the recording, where there is none.'),
    cursor: { description: 'Where all stand.', params: emptyObject, returns: object({ cursor: anyObject('') }) },
    moves: {
      description: 'Every move that there is, every kind of breakpoint, and kinds of tasks and marks, with titles.',
      params: emptyObject,
      returns: object({
        moves: array(anyObject(''), ''),
        breakpointKinds: array(anyObject(''), ''),
        taskKinds: array(anyObject(''), ''),
        eventKinds: array(anyObject(''), ''),
      }),
    },
    positions: {
      description: 'Tasks in their order, from a place on.',
      params: object({
        from: order,
        count: optional(integer('how many at most: 100 unless it is said', 1, 1000)),
        direction,
        actor: optional(longString('only of actors of such a name, * for anything')),
        worker: optional(integer('only on this worker')),
      }),
      returns: object({ tasks: array(anyObject(''), ''), next: order }),
    },
    now: {
      description:
        'Of a program that goes on: what it has recorded by now is read, and all stand at the end of it. Nothing is stopped.',
      params: emptyObject,
      returns: object({ until: number('milliseconds since 1970') }),
      isLongRunning: true,
    },
    goto: { description: 'To a position.', params: object({ position }), returns: moveResult, isLongRunning: true },
    move: { description: 'Any move.', params: object(moveParams), returns: moveResult, isLongRunning: true },
    find: {
      description: 'Where a move would lead. Nobody goes anywhere.',
      params: object({ ...moveParams, from: optional(position) }),
      returns: moveResult,
      isLongRunning: true,
    },
    whoWrote: {
      description: 'To the statement that has given something the value that it has here.',
      params: object({
        expression: longString('a variable, a property, an entry: total, this.sum, order.items[2].price'),
        stays: optional(boolean('nobody goes anywhere')),
      }),
      returns: moveResult,
      isLongRunning: true,
    },
    setBreakpoint: {
      description: 'A breakpoint of a kind that moves tells of. Debugger.removeBreakpoint removes it.',
      params: object({
        kind: longString(''),
        matching: optional(longString('only of what is like this, * for anything')),
        condition: optional(longString('an expression: it counts only where that holds')),
        hitNumber: optional(integer('only the so-manieth time of the recording that it does', 1)),
      }),
      returns: object({ breakpointId: longString('') }),
    },
    output: {
      description: 'What was printed between two places of the order, into the console.',
      params: object({ from: order, to: order }),
      returns: object({ writes: integer('how many') }),
      isLongRunning: true,
    },
    ask: {
      description: 'Whatever else the protocol of the time machine has (docs/protocol.md of Turntable).',
      params: object({ method: longString(''), params: optional(anyValue) }),
      returns: object({ result: anyObject('') }),
      isLongRunning: true,
    },
  },
  events: {},
} as const satisfies Domain;
