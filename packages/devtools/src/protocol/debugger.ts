// The CDP domain `Debugger`: those of its commands and events that apply to a recording.
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
  description: 'A recording is always paused: steps and breakpoints are moves, and end with Debugger.paused.',
  commands: {
    enable: {
      description: 'Reports all files of the recording and the current position.',
      params: emptyObject,
      returns: object({ debuggerId: longString('') }),
    },
    disable: {
      description: 'Stops all events and removes all breakpoints.',
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
      description: 'Whether the breakpoints of this client are active.',
      params: object({ active: boolean('') }),
      returns: emptyObject,
    },
    setSkipAllPauses: {
      description: 'The opposite of setBreakpointsActive.',
      params: object({ skip: boolean('') }),
      returns: emptyObject,
    },
    setPauseOnExceptions: {
      description: 'Whether to stop at uncaught exceptions, caught exceptions, or both.',
      params: object({ state: stringEnum(['none', 'caught', 'uncaught', 'all'], '') }),
      returns: emptyObject,
    },
    setAsyncCallStackDepth: {
      description: 'The maximum number of senders reported.',
      params: object({ maxDepth: integer('0 for none') }),
      returns: emptyObject,
    },
    setBlackboxPatterns: {
      description: 'Steps skip files whose URL matches one of these.',
      params: object({ patterns: array(longString('a regular expression'), '') }),
      returns: emptyObject,
    },
    stepOver: step('To the next statement here, or in the caller.'),
    stepInto: step('To the next statement of any function.'),
    stepOut: step('To the next statement of the caller.'),
    resume: step(
      'To the next breakpoint, otherwise to the end of the recording. At the end of a running program, until pause.',
    ),
    pause: step(
      'Cancels the current move. Without one, of a running program: reads its latest events and moves to their end.',
    ),
    continueToLocation: {
      description: 'To the next execution of a line.',
      params: object({ location }),
      returns: emptyObject,
    },
    restartFrame: {
      description:
        'To the beginning of the turn; of an outer function, to its call; of a sender, to where it has sent the message.',
      params: object({ callFrameId: longString('') }),
      returns: object({ callFrames: array(anyObject('a frame'), 'empty: Debugger.paused has them') }),
    },
    evaluateOnCallFrame: {
      description: 'Evaluates an expression; in outer frames, without side effects.',
      params: object({ callFrameId: longString(''), ...evaluationParams }),
      returns: object({ result: anyObject('a RemoteObject'), exceptionDetails: optional(anyObject('')) }),
      isLongRunning: true,
    },
    getStackTrace: {
      description: 'The chain of senders: who sent this message, and who sent the message before it.',
      params: object({ stackTraceId: object({ id: longString('of a pause') }) }),
      returns: object({ stackTrace: anyObject('a StackTrace') }),
    },
  },
  events: {
    scriptParsed: { description: 'A file of the recording.', params: anyObject('') },
    paused: { description: 'The recording is paused at data.position.', params: anyObject('') },
    resumed: { description: 'All go elsewhere.', params: emptyObject },
  },
} as const satisfies Domain;
