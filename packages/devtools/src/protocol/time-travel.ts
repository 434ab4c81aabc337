// The CDP domain `TimeTravel`: backward steps and the server's other moves, breakpoints by kind, output, and requests
// of the client protocol. A command that moves responds after `Debugger.paused` was sent.
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
  note: optional(longString('a remark about the result')),
  lastWrite: optional(anyObject('of whoWrote: the last write')),
  cursor: anyObject('where all stand'),
});
const backCommand = (description: string) =>
  ({ description, params: emptyObject, returns: moveResult, isLongRunning: true }) as const;
const order = optional(integer('the place of a task among all, from 1 on', 1));

export const TIME_TRAVEL = {
  description: 'Moving about in a recording. The server of the time machine describes its moves itself: ask for them.',
  commands: {
    stepBack: backCommand('To the previous statement here or in the caller; the same as stepBackOver.'),
    stepBackOver: backCommand('To the previous statement here or in the caller, over calls.'),
    stepBackInto: backCommand('To the previous statement of all.'),
    stepBackOut: backCommand('To the statement that has called this function.'),
    reverse: backCommand('To the previous breakpoint; to the beginning of the recording, where there is none.'),
    cursor: { description: 'Where all stand.', params: emptyObject, returns: object({ cursor: anyObject('') }) },
    moves: {
      description: 'All moves, breakpoint kinds, task kinds and event kinds, with titles.',
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
      description: 'Reads the latest events of a running program and moves to their end. The program keeps running.',
      params: emptyObject,
      returns: object({ until: number('milliseconds since 1970') }),
      isLongRunning: true,
    },
    goto: { description: 'To a position.', params: object({ position }), returns: moveResult, isLongRunning: true },
    move: { description: 'Any move.', params: object(moveParams), returns: moveResult, isLongRunning: true },
    find: {
      description: 'The destination of a move, without moving.',
      params: object({ ...moveParams, from: optional(position) }),
      returns: moveResult,
      isLongRunning: true,
    },
    whoWrote: {
      description: 'To the statement that wrote the current value of an expression.',
      params: object({
        expression: longString('a variable, a property, an entry: total, this.sum, order.items[2].price'),
        stays: optional(boolean('do not move')),
      }),
      returns: moveResult,
      isLongRunning: true,
    },
    setBreakpoint: {
      description: 'Sets a breakpoint of a kind listed by moves. Debugger.removeBreakpoint removes it.',
      params: object({
        kind: longString(''),
        matching: optional(longString('a pattern that the event must match, * for anything')),
        condition: optional(longString('an expression: it counts only where that holds')),
        hitNumber: optional(integer('only the so-manieth time of the recording that it does', 1)),
      }),
      returns: object({ breakpointId: longString('') }),
    },
    output: {
      description: 'Prints the output of a range of tasks to the console.',
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
