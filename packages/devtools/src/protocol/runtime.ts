// The domain Runtime, as far as a recording has answers to it.
import { flag, list, longText, number, object, optional } from '@turntable/time-machine/protocol';
import { anything, nothing, some, type Domain } from './command.ts';

/** Of commands that evaluate something. */
export const evaluation = {
  expression: longText(''),
  objectGroup: optional(longText('')),
  includeCommandLineAPI: optional(flag('TimeTravel.move({"move": "sender"}) and its like are commands then')),
  silent: optional(flag('')),
  returnByValue: optional(flag('')),
  generatePreview: optional(flag('')),
  throwOnSideEffect: optional(flag('it is not evaluated where it could change anything')),
  timeout: optional(number('milliseconds')),
} as const;

const argument = object({
  value: optional(anything),
  unserializableValue: optional(longText('')),
  objectId: optional(longText('')),
});
const evaluated = object({ result: some('a RemoteObject'), exceptionDetails: optional(some('')) });

export const RUNTIME = {
  about: 'Values of the program where all stand, and what it has printed up to there.',
  commands: {
    enable: { about: 'Tells of the recording as an execution context.', params: nothing, returns: nothing },
    disable: { about: 'Nothing more is told.', params: nothing, returns: nothing },
    runIfWaitingForDebugger: { about: 'Nobody waits.', params: nothing, returns: nothing },
    setAsyncCallStackDepth: { about: 'As in Debugger.', params: object({ maxDepth: number('') }), returns: nothing },
    discardConsoleEntries: { about: 'What was printed is told once.', params: nothing, returns: nothing },
    evaluate: {
      about: 'What an expression comes to in the innermost function.',
      params: object(evaluation),
      returns: evaluated,
      takesLong: true,
    },
    callFunctionOn: {
      about:
        'What a function comes to that changes nothing, of objects to which an expression leads in a function where all stand.',
      params: object({
        functionDeclaration: longText(''),
        objectId: optional(longText('')),
        arguments: optional(list(argument, '')),
        returnByValue: optional(flag('')),
        generatePreview: optional(flag('')),
      }),
      returns: evaluated,
      takesLong: true,
    },
    getProperties: {
      about: 'The parts of an object, the first of them and the others in pieces.',
      params: object({
        objectId: longText(''),
        ownProperties: optional(flag('')),
        accessorPropertiesOnly: optional(flag('')),
        generatePreview: optional(flag('')),
      }),
      returns: object({
        result: list(some('a PropertyDescriptor'), ''),
        internalProperties: optional(list(some(''), '')),
        privateProperties: optional(list(some(''), '')),
      }),
    },
    releaseObject: {
      about: 'One that is not wanted any more.',
      params: object({ objectId: longText('') }),
      returns: nothing,
    },
    releaseObjectGroup: {
      about: 'They are all forgotten when all go elsewhere.',
      params: object({ objectGroup: longText('') }),
      returns: nothing,
    },
    terminateExecution: { about: 'Gives up what is evaluated.', params: nothing, returns: nothing },
  },
  events: {
    executionContextCreated: { about: 'The recording.', params: some('') },
    consoleAPICalled: {
      about:
        'What the program has printed when the statement that prints it is behind, and what is to be said besides.',
      params: some(''),
    },
  },
} as const satisfies Domain;
