// The CDP domain `Debugger`: the commands and events that apply to a recording.
import { boolean, integer, array, longString, object, stringEnum, optional } from '@turntable/time-machine/protocol';
import { emptyObject, anyObject, type Domain } from './command.ts';
import { evaluationParams } from './runtime.ts';

const line = integer('from 0 on');
const column = integer('from 0 on');
const location = object({ scriptId: longString('of a file'), lineNumber: line, columnNumber: optional(column) });
const condition = optional(longString('an expression: only hits where it is true count'));
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
      description: 'Ends all events and removes all breakpoints of this client.',
      params: emptyObject,
      returns: emptyObject,
    },
    getScriptSource: {
      description: 'The recorded source of a file, before any transformation.',
      params: object({ scriptId: longString('of a file') }),
      returns: object({ scriptSource: longString('') }),
    },
    searchInContent: {
      description: 'The lines of a file that contain a text.',
      params: object({
        scriptId: longString('of a file'),
        query: longString(''),
        caseSensitive: optional(boolean('')),
        isRegex: optional(boolean('')),
      }),
      returns: object({ result: array(anyObject('a line and its number'), '') }),
    },
    getPossibleBreakpoints: {
      description: 'The locations at which statements start.',
      params: object({ start: location, end: optional(location), restrictToFunction: optional(boolean('')) }),
      returns: object({ locations: array(location, '') }),
    },
    setBreakpointByUrl: {
      description: 'Sets a breakpoint in all files with a URL or hash.',
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
      description: 'Sets a breakpoint in one file.',
      params: object({ location, condition }),
      returns: object({ breakpointId, actualLocation: location }),
    },
    removeBreakpoint: { description: 'Removes a breakpoint.', params: object({ breakpointId }), returns: emptyObject },
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
      description: 'To the beginning of the turn; of an outer function, to its call.',
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
      description: 'The chain of senders: the sender of the current message, the sender of its message, and so on.',
      params: object({ stackTraceId: object({ id: longString('of a pause') }) }),
      returns: object({ stackTrace: anyObject('a StackTrace') }),
    },
  },
  events: {
    scriptParsed: { description: 'A file of the recording.', params: anyObject('') },
    paused: { description: 'The recording is paused at data.position.', params: anyObject('') },
    resumed: { description: 'A move has started.', params: emptyObject },
  },
} as const satisfies Domain;
