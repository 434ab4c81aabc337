// The domain Runtime, as far as a recording has answers to it.
import { boolean, array, longString, number, object, optional } from '@turntable/time-machine/protocol';
import { anyValue, emptyObject, anyObject, type Domain } from './command.ts';

/** Of commands that evaluate something. */
export const evaluationParams = {
  expression: longString(''),
  objectGroup: optional(longString('')),
  includeCommandLineAPI: optional(boolean('TimeTravel.move({"move": "sender"}) and its like are commands then')),
  silent: optional(boolean('')),
  returnByValue: optional(boolean('')),
  generatePreview: optional(boolean('')),
  throwOnSideEffect: optional(boolean('it is not evaluated where it could change anything')),
  timeout: optional(number('milliseconds')),
} as const;

const callArgument = object({
  value: optional(anyValue),
  unserializableValue: optional(longString('')),
  objectId: optional(longString('')),
});
const evaluationResult = object({ result: anyObject('a RemoteObject'), exceptionDetails: optional(anyObject('')) });

export const RUNTIME = {
  description: 'Values of the program where all stand, and what it has printed up to there.',
  commands: {
    enable: {
      description: 'Tells of the recording as an execution context.',
      params: emptyObject,
      returns: emptyObject,
    },
    disable: { description: 'Nothing more is told.', params: emptyObject, returns: emptyObject },
    runIfWaitingForDebugger: { description: 'Nobody waits.', params: emptyObject, returns: emptyObject },
    setAsyncCallStackDepth: {
      description: 'As in Debugger.',
      params: object({ maxDepth: number('') }),
      returns: emptyObject,
    },
    discardConsoleEntries: { description: 'What was printed is told once.', params: emptyObject, returns: emptyObject },
    evaluate: {
      description: 'What an expression comes to in the innermost function.',
      params: object(evaluationParams),
      returns: evaluationResult,
      isLongRunning: true,
    },
    callFunctionOn: {
      description:
        'What a function comes to that changes nothing, of objects to which an expression leads in a function where all stand.',
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
      description: 'The parts of an object, the first of them and the others in pieces.',
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
    releaseObject: {
      description: 'One that is not wanted any more.',
      params: object({ objectId: longString('') }),
      returns: emptyObject,
    },
    releaseObjectGroup: {
      description: 'They are all forgotten when all go elsewhere.',
      params: object({ objectGroup: longString('') }),
      returns: emptyObject,
    },
    terminateExecution: { description: 'Gives up what is evaluated.', params: emptyObject, returns: emptyObject },
  },
  events: {
    executionContextCreated: { description: 'The recording.', params: anyObject('') },
    consoleAPICalled: {
      description:
        'What the program has printed when the statement that prints it is behind, and what is to be said besides.',
      params: anyObject(''),
    },
  },
} as const satisfies Domain;
