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

const direction = optional(stringEnum(['forward', 'backward'], 'forward by default'));
const position = longString('a position: phase and number of a task (2.137), optionally with a statement (2.137:45.2)');
const moveArguments = optional(dictionary(union(longString(''), number('')), 'by the names of its parameters'));
const moveParams = { move: longString('the id of a move'), direction, arguments: moveArguments } as const;
const moveResult = object({
  found: boolean('whether there is a destination'),
  reason: optional(longString('why there is no destination')),
  note: optional(longString('a remark about the result')),
  lastWrite: optional(anyObject('of whoWrote: the last write')),
  breakpoints: optional(array(integer(''), 'of a move to a breakpoint: numbers of those hit')),
  isEdge: optional(boolean('whether no breakpoint was hit before the start or end of the recording')),
  cursor: anyObject('the current position, which all clients share'),
});
const backCommand = (description: string) =>
  ({ description, params: emptyObject, returns: moveResult, isLongRunning: true }) as const;
const order = optional(integer('the number of a task among all tasks, from 1 on', 1));

export const TIME_TRAVEL = {
  description: 'Moves in a recording. The command moves lists the moves that the server offers.',
  commands: {
    help: {
      description: 'Prints the commands to the console, or describes one.',
      params: object({ command: optional(longString('the name of a command')) }),
      returns: emptyObject,
    },
    stepBack: backCommand('To the previous statement here or in the caller; the same as stepBackOver.'),
    stepBackOver: backCommand('To the previous statement here or in the caller, over calls.'),
    stepBackInto: backCommand('To the previous statement, in any function.'),
    stepBackOut: backCommand('To the statement that called this function.'),
    reverse: backCommand('To the previous breakpoint, or to the start of the recording if there is none.'),
    cursor: { description: 'The current position.', params: emptyObject, returns: object({ cursor: anyObject('') }) },
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
      description: 'Tasks in their order, from a number on.',
      params: object({
        from: order,
        count: optional(integer('maximum number; 100 by default', 1, 1000)),
        direction,
        actor: optional(longString('only tasks of actors whose name matches this pattern, * for anything')),
        worker: optional(integer('only tasks of this worker')),
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
        text: optional(longString('a part of the text of the event; * matches anything')),
        condition: optional(longString('an expression: only hits where it is true count')),
        hitNumber: optional(integer('only this hit counts, of all in the recording', 1)),
      }),
      returns: object({ breakpointId: longString('') }),
    },
    logPointHits: {
      description: 'Sets how many values a log point prints, 1000 by default, and prints the missing ones.',
      params: object({ count: integer('maximum number of values', 1) }),
      returns: emptyObject,
    },
    output: {
      description: 'Prints the output of a range of tasks to the console.',
      params: object({ from: order, to: order }),
      returns: object({ writes: integer('number of writes') }),
      isLongRunning: true,
    },
    ask: {
      description: 'Any other method of the client protocol (docs/internals/protocol.md of Turntable).',
      params: object({ method: longString(''), params: optional(anyValue) }),
      returns: object({ result: anyObject('') }),
      isLongRunning: true,
    },
  },
  events: {},
} as const satisfies Domain;
