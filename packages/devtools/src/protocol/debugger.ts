// The domain Debugger, as far as a recording has answers to it.
import { flag, integer, list, longText, object, oneOf, optional } from '@turntable/time-machine/protocol';
import { nothing, some, type Domain } from './command.ts';
import { evaluation } from './runtime.ts';

const line = integer('from 0 on');
const column = integer('from 0 on');
const location = object({ scriptId: longText('of a file'), lineNumber: line, columnNumber: optional(column) });
const condition = optional(longText('an expression: it counts only where that holds'));
const breakpointId = longText('of a breakpoint');
const step = (about: string) => ({ about, params: nothing, returns: nothing });

export const DEBUGGER = {
  about:
    'A recording, which always stands still: steps and breakpoints are moves of the time machine, and end with Debugger.paused.',
  commands: {
    enable: {
      about: 'Tells of all files of the recording, and where all stand.',
      params: nothing,
      returns: object({ debuggerId: longText('') }),
    },
    disable: { about: 'Nothing more is told, and nothing is left to stop at.', params: nothing, returns: nothing },
    getScriptSource: {
      about: 'The text of a file as it was recorded, which is as it was written.',
      params: object({ scriptId: longText('of a file') }),
      returns: object({ scriptSource: longText('') }),
    },
    searchInContent: {
      about: 'Lines of a file with a text.',
      params: object({
        scriptId: longText('of a file'),
        query: longText(''),
        caseSensitive: optional(flag('')),
        isRegex: optional(flag('')),
      }),
      returns: object({ result: list(some('a line and its number'), '') }),
    },
    getPossibleBreakpoints: {
      about: 'Where statements begin.',
      params: object({ start: location, end: optional(location), restrictToFunction: optional(flag('')) }),
      returns: object({ locations: list(location, '') }),
    },
    setBreakpointByUrl: {
      about: 'A breakpoint in all files of a URL.',
      params: object({
        lineNumber: line,
        url: optional(longText('')),
        urlRegex: optional(longText('')),
        scriptHash: optional(longText('')),
        columnNumber: optional(column),
        condition,
      }),
      returns: object({ breakpointId, locations: list(location, '') }),
    },
    setBreakpoint: {
      about: 'A breakpoint in one file.',
      params: object({ location, condition }),
      returns: object({ breakpointId, actualLocation: location }),
    },
    removeBreakpoint: { about: 'One less.', params: object({ breakpointId }), returns: nothing },
    setBreakpointsActive: {
      about: 'Whether those of this client are stopped at.',
      params: object({ active: flag('') }),
      returns: nothing,
    },
    setSkipAllPauses: {
      about: 'The opposite of setBreakpointsActive.',
      params: object({ skip: flag('') }),
      returns: nothing,
    },
    setPauseOnExceptions: {
      about: 'Whether errors are stopped at: those that nobody catches, those that somebody does, or both.',
      params: object({ state: oneOf(['none', 'caught', 'uncaught', 'all'], '') }),
      returns: nothing,
    },
    setAsyncCallStackDepth: {
      about: 'How many senders are told of at most.',
      params: object({ maxDepth: integer('0 for none') }),
      returns: nothing,
    },
    setBlackboxPatterns: {
      about: 'Steps do not end in files of which the URL is like one of these.',
      params: object({ patterns: list(longText('a regular expression'), '') }),
      returns: nothing,
    },
    stepOver: step('To the next statement here, or in who has called this.'),
    stepInto: step('To the next statement of all.'),
    stepOut: step('To the next statement of who has called this function.'),
    resume: step(
      'To the next breakpoint; to the end of the recording, where there is none. Behind the end of what a program that goes on has recorded so far, nothing is told before pause.',
    ),
    pause: step(
      'Gives up what is looked for. Of a program that goes on, where nothing is: to the end of what it has recorded by now.',
    ),
    continueToLocation: {
      about: 'To the next time that a line is run.',
      params: object({ location }),
      returns: nothing,
    },
    restartFrame: {
      about:
        'To the beginning of the turn; of an outer function, to its call; of a sender, to where it has sent the message.',
      params: object({ callFrameId: longText('') }),
      returns: object({ callFrames: list(some('a frame'), 'none: Debugger.paused tells of them') }),
    },
    evaluateOnCallFrame: {
      about: 'What an expression comes to; in outer functions, as far as it changes nothing.',
      params: object({ callFrameId: longText(''), ...evaluation }),
      returns: object({ result: some('a RemoteObject'), exceptionDetails: optional(some('')) }),
      takesLong: true,
    },
    getStackTrace: {
      about: 'Who has sent what this turn is about, who has sent that, and so on back.',
      params: object({ stackTraceId: object({ id: longText('of a pause') }) }),
      returns: object({ stackTrace: some('a StackTrace') }),
    },
  },
  events: {
    scriptParsed: { about: 'A file of the recording.', params: some('') },
    paused: { about: 'All stand still; data.position says where.', params: some('') },
    resumed: { about: 'All go elsewhere.', params: nothing },
  },
} as const satisfies Domain;
