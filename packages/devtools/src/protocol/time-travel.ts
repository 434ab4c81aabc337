// The domain TimeTravel: what Chrome's protocol has no commands for. Moves are answered when all stand there, behind Debugger.paused.
import {
  flag,
  integer,
  list,
  longText,
  map,
  number,
  object,
  oneOf,
  optional,
  either,
} from '@turntable/time-machine/protocol';
import { anything, nothing, some, type Domain } from './command.ts';

const direction = optional(oneOf(['forward', 'backward'], 'forward unless it is said'));
const position = longText('a position: phase and number of a stretch (2.137), perhaps with a statement (2.137:45.2)');
const its = optional(map(either(longText(''), number('')), 'by the names of its parameters'));
const wanted = { move: longText('the id of a move'), direction, arguments: its } as const;
const landed = object({
  found: flag('whether there is such a place'),
  why: optional(longText('why there is none')),
  note: optional(longText('what is to be said of it')),
  origin: optional(some('of whoWrote: how it has come to its value')),
  where: some('where all stand'),
});
const back = (about: string) => ({ about, params: nothing, returns: landed, takesLong: true }) as const;
const order = optional(integer('the place of a stretch among all, from 1 on', 1));

export const TIME_TRAVEL = {
  about: 'Moving about in a recording. The server of the time machine describes its moves itself: ask for them.',
  commands: {
    stepBack: back('To the previous statement here or in who has called this; the same as stepBackOver.'),
    stepBackOver: back('To the previous statement here or in who has called this, over what was called.'),
    stepBackInto: back('To the previous statement of all.'),
    stepBackOut: back('To the statement that has called this function.'),
    reverse: back('To the previous breakpoint; to the beginning of the recording, where there is none.'),
    where: { about: 'Where all stand.', params: nothing, returns: object({ where: some('') }) },
    moves: {
      about: 'Every move that there is, every kind of breakpoint, and kinds of stretches and marks, with titles.',
      params: nothing,
      returns: object({
        moves: list(some(''), ''),
        breakpoints: list(some(''), ''),
        kinds: list(some(''), ''),
        marks: list(some(''), ''),
      }),
    },
    positions: {
      about: 'Stretches in their order, from a place on.',
      params: object({
        from: order,
        count: optional(integer('how many at most: 100 unless it is said', 1, 1000)),
        direction,
        actor: optional(longText('only of actors of such a name, * for anything')),
        worker: optional(integer('only on this worker')),
      }),
      returns: object({ stretches: list(some(''), ''), next: order }),
    },
    now: {
      about:
        'Of a program that goes on: what it has recorded by now is read, and all stand at the end of it. Nothing is stopped.',
      params: nothing,
      returns: object({ until: number('milliseconds since 1970') }),
      takesLong: true,
    },
    goto: { about: 'To a position.', params: object({ position }), returns: landed, takesLong: true },
    move: { about: 'Any move.', params: object(wanted), returns: landed, takesLong: true },
    find: {
      about: 'Where a move would lead. Nobody goes anywhere.',
      params: object({ ...wanted, from: optional(position) }),
      returns: landed,
      takesLong: true,
    },
    whoWrote: {
      about: 'To the statement that has given something the value that it has here.',
      params: object({
        expression: longText('a variable, a property, an entry: total, this.sum, order.items[2].price'),
        stays: optional(flag('nobody goes anywhere')),
      }),
      returns: landed,
      takesLong: true,
    },
    setBreakpoint: {
      about: 'A breakpoint of a kind that moves tells of. Debugger.removeBreakpoint removes it.',
      params: object({
        kind: longText(''),
        matching: optional(longText('only of what is like this, * for anything')),
        condition: optional(longText('an expression: it counts only where that holds')),
        times: optional(integer('only the so-manieth time of the recording that it does', 1)),
      }),
      returns: object({ breakpointId: longText('') }),
    },
    output: {
      about: 'What was printed between two places of the order, into the console.',
      params: object({ from: order, to: order }),
      returns: object({ writes: integer('how many') }),
      takesLong: true,
    },
    ask: {
      about: 'Whatever else the protocol of the time machine has (docs/protocol.md of Turntable).',
      params: object({ method: longText(''), params: optional(anything) }),
      returns: object({ result: some('') }),
      takesLong: true,
    },
  },
  events: {},
} as const satisfies Domain;
