// The CDP domain `Runtime`: the commands and events that apply to a recording.
import { boolean, array, longString, number, object, optional } from '@turntable/time-machine/protocol';
import { anyValue, emptyObject, anyObject, type Domain } from './command.ts';

/** Parameters that all commands evaluating an expression have. */
export const evaluationParams = {
  expression: longString(''),
  objectGroup: optional(longString('')),
  includeCommandLineAPI: optional(
    boolean('whether inputs such as TimeTravel.move({"move": "sender"}) are commands, and $_ is the last result'),
  ),
  silent: optional(boolean('')),
  returnByValue: optional(boolean('')),
  generatePreview: optional(boolean('')),
  throwOnSideEffect: optional(boolean('whether evaluations with side effects fail')),
  timeout: optional(number('milliseconds')),
  replMode: optional(boolean('accepted: expressions are evaluated as in a console in any case')),
} as const;

const callArgument = object({
  value: optional(anyValue),
  unserializableValue: optional(longString('')),
  objectId: optional(longString('')),
});
const evaluationResult = object({ result: anyObject('a RemoteObject'), exceptionDetails: optional(anyObject('')) });

export const RUNTIME = {
  description: 'Values of the program at the current position, and its output up to there.',
  commands: {
    enable: {
      description: 'Reports the recording as an execution context.',
      params: emptyObject,
      returns: emptyObject,
    },
    disable: { description: 'Ends all events.', params: emptyObject, returns: emptyObject },
    runIfWaitingForDebugger: {
      description: 'Does nothing: a recording does not wait.',
      params: emptyObject,
      returns: emptyObject,
    },
    setAsyncCallStackDepth: {
      description: 'As in Debugger.',
      params: object({ maxDepth: number('') }),
      returns: emptyObject,
    },
    discardConsoleEntries: {
      description: 'Does nothing: output is reported once.',
      params: emptyObject,
      returns: emptyObject,
    },
    evaluate: {
      description: 'Evaluates an expression in the innermost frame.',
      params: object(evaluationParams),
      returns: evaluationResult,
      isLongRunning: true,
    },
    callFunctionOn: {
      description: 'Calls a function without side effects on objects that an expression of a frame evaluates to.',
      params: object({
        functionDeclaration: longString(''),
        objectId: optional(longString('')),
        arguments: optional(array(callArgument, '')),
        returnByValue: optional(boolean('')),
        generatePreview: optional(boolean('')),
      }),
      returns: evaluationResult,
      isLongRunning: true,
    },
    getProperties: {
      description: 'The first parts of an object, and objects for pages of the others.',
      params: object({
        objectId: longString(''),
        ownProperties: optional(boolean('')),
        accessorPropertiesOnly: optional(boolean('')),
        generatePreview: optional(boolean('')),
      }),
      returns: object({
        result: array(anyObject('a PropertyDescriptor'), ''),
        internalProperties: optional(array(anyObject(''), '')),
        privateProperties: optional(array(anyObject(''), '')),
      }),
    },
    compileScript: {
      description: 'Whether a script is complete and correct; it is not run.',
      params: object({ expression: longString(''), sourceURL: longString(''), persistScript: boolean('') }),
      returns: object({ exceptionDetails: optional(anyObject('its syntax error')) }),
    },
    globalLexicalScopeNames: {
      description: 'Global names that the console completes.',
      params: emptyObject,
      returns: object({ names: array(longString(''), '') }),
    },
    getIsolateId: {
      description: 'The id of the recording: it is one isolate.',
      params: emptyObject,
      returns: object({ id: longString('') }),
    },
    releaseObject: {
      description: 'Does nothing: objects are released by the next move.',
      params: object({ objectId: longString('') }),
      returns: emptyObject,
    },
    releaseObjectGroup: {
      description: 'Does nothing: objects are released by the next move.',
      params: object({ objectGroup: longString('') }),
      returns: emptyObject,
    },
    terminateExecution: { description: 'Cancels evaluations.', params: emptyObject, returns: emptyObject },
  },
  events: {
    executionContextCreated: { description: 'The recording.', params: anyObject('') },
    consoleAPICalled: {
      description: 'Output of the program, once its statement has run, and notices.',
      params: anyObject(''),
    },
  },
} as const satisfies Domain;
