// The domain Debugger, as far as a recording has answers to it.
import { boolean, integer, array, longString, object, stringEnum, optional } from '@turntable/time-machine/protocol';
import { emptyObject, anyObject, type Domain } from './command.ts';
import { evaluationParams } from './runtime.ts';

const line = integer('from 0 on');
const column = integer('from 0 on');
const location = object({ scriptId: longString('of a file'), lineNumber: line, columnNumber: optional(column) });
const condition = optional(longString('an expression: it counts only where that holds'));
const breakpointId = longString('of a breakpoint');
const step = (description: string) => ({ description, params: emptyObject, returns: emptyObject });

export const DEBUGGER = {
  description:
    'A recording, which always stands still: steps and breakpoints are moves of the time machine, and end with Debugger.paused.',
  commands: {
    enable: {
      description: 'Tells of all files of the recording, and where all stand.',
      params: emptyObject,
      returns: object({ debuggerId: longString('') }),
    },
    disable: {
      description: 'Nothing more is told, and nothing is left to stop at.',
      params: emptyObject,
      returns: emptyObject,
    },
    getScriptSource: {
      description: 'The text of a file as it was recorded, which is as it was written.',
      params: object({ scriptId: longString('of a file') }),
      returns: object({ scriptSource: longString('') }),
    },
    searchInContent: {
      description: 'Lines of a file with a text.',
      params: object({
        scriptId: longString('of a file'),
        query: longString(''),
        caseSensitive: optional(boolean('')),
        isRegex: optional(boolean('')),
      }),
      returns: object({ result: array(anyObject('a line and its number'), '') }),
    },
    getPossibleBreakpoints: {
      description: 'Where statements begin.',
      params: object({ start: location, end: optional(location), restrictToFunction: optional(boolean('')) }),
      returns: object({ locations: array(location, '') }),
    },
    setBreakpointByUrl: {
      description: 'A breakpoint in all files of a URL.',
      params: object({
        lineNumber: line,
        url: optional(longString('')),
        urlRegex: optional(longString('')),
        scriptHash: optional(longString('')),
        columnNumber: optional(column),
        condition,
      }),
      returns: object({ breakpointId, locations: array(location, '') }),
    },
    setBreakpoint: {
      description: 'A breakpoint in one file.',
      params: object({ location, condition }),
      returns: object({ breakpointId, actualLocation: location }),
    },
    removeBreakpoint: { description: 'One less.', params: object({ breakpointId }), returns: emptyObject },
    setBreakpointsActive: {
      description: 'Whether those of this client are stopped at.',
      params: object({ active: boolean('') }),
      returns: emptyObject,
    },
    setSkipAllPauses: {
      description: 'The opposite of setBreakpointsActive.',
      params: object({ skip: boolean('') }),
      returns: emptyObject,
    },
    setPauseOnExceptions: {
      description: 'Whether errors are stopped at: those that nobody catches, those that somebody does, or both.',
      params: object({ state: stringEnum(['none', 'caught', 'uncaught', 'all'], '') }),
      returns: emptyObject,
    },
    setAsyncCallStackDepth: {
      description: 'How many senders are told of at most.',
      params: object({ maxDepth: integer('0 for none') }),
      returns: emptyObject,
    },
    setBlackboxPatterns: {
      description: 'Steps do not end in files of which the URL is like one of these.',
      params: object({ patterns: array(longString('a regular expression'), '') }),
      returns: emptyObject,
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
      description: 'To the next time that a line is run.',
      params: object({ location }),
      returns: emptyObject,
    },
    restartFrame: {
      description:
        'To the beginning of the turn; of an outer function, to its call; of a sender, to where it has sent the message.',
      params: object({ callFrameId: longString('') }),
      returns: object({ callFrames: array(anyObject('a frame'), 'none: Debugger.paused tells of them') }),
    },
    evaluateOnCallFrame: {
      description: 'What an expression comes to; in outer functions, as far as it changes nothing.',
      params: object({ callFrameId: longString(''), ...evaluationParams }),
      returns: object({ result: anyObject('a RemoteObject'), exceptionDetails: optional(anyObject('')) }),
      isLongRunning: true,
    },
    getStackTrace: {
      description: 'Who has sent what this turn is about, who has sent that, and so on back.',
      params: object({ stackTraceId: object({ id: longString('of a pause') }) }),
      returns: object({ stackTrace: anyObject('a StackTrace') }),
    },
  },
  events: {
    scriptParsed: { description: 'A file of the recording.', params: anyObject('') },
    paused: { description: 'All stand still; data.position says where.', params: anyObject('') },
    resumed: { description: 'All go elsewhere.', params: emptyObject },
  },
} as const satisfies Domain;
