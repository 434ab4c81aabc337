// The domain Runtime: values, expressions, and what the program has printed.
import type { Evaluations, Typed } from './evaluation.ts';
import type { Ground } from './ground.ts';
import type { Pauses } from './pauses.ts';
import type { AnswersOf, Asked } from './protocol/command.ts';
import type { RUNTIME } from './protocol/runtime.ts';
import type { RemoteObjects } from './remote-objects.ts';
import { CONTEXT } from './scripts.ts';

interface Parts {
  readonly objects: RemoteObjects;
  readonly evaluations: Evaluations;
  readonly pauses: Pauses;
  readonly enable: (isEnabled: boolean) => void;
  readonly isEnabled: () => boolean;
  readonly commandIn: (wish: Typed, asked: Asked) => Promise<object> | undefined;
  /** What takes long is not wanted any more. */
  readonly giveUp: () => void;
}

const done = (): undefined => undefined;

export function runtimeAnswers(ground: Ground, parts: Parts): AnswersOf<typeof RUNTIME> {
  const { objects, evaluations, pauses } = parts;
  return {
    enable: (_, { afterwards }) => {
      if (parts.isEnabled()) return undefined;
      parts.enable(true);
      ground.tell('Runtime.executionContextCreated', {
        context: {
          id: CONTEXT,
          origin: '',
          name: ground.hello.recording.name,
          uniqueId: `turntable.${CONTEXT}`,
          auxData: { isDefault: true },
        },
      });
      afterwards(() => void pauses.printedBefore());
      return undefined;
    },
    disable: () => {
      parts.enable(false);
      return undefined;
    },
    runIfWaitingForDebugger: done,
    setAsyncCallStackDepth: ({ maxDepth }) => {
      pauses.frames.depth = maxDepth;
      return undefined;
    },
    discardConsoleEntries: done,
    evaluate: (wish, asked) => {
      return parts.commandIn(wish, asked) ?? evaluations.evaluate(wish, undefined, asked.signal);
    },
    callFunctionOn: (wish, { signal }) => evaluations.call(wish, signal),
    // Those of prototypes are theirs: they are opened there.
    getProperties: async ({ objectId, accessorPropertiesOnly, generatePreview = false }) =>
      accessorPropertiesOnly === true ? { result: [] } : objects.properties(objectId, generatePreview),
    releaseObject: done,
    releaseObjectGroup: done,
    terminateExecution: () => {
      parts.giveUp();
      return undefined;
    },
  };
}
