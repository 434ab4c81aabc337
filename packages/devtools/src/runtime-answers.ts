// The domain Runtime: values, expressions, and what the program has printed.
import type { Evaluations, Typed } from './evaluation.ts';
import type { Ground } from './ground.ts';
import type { Pauses } from './pauses.ts';
import type { AnswersOf, Asked } from './protocol/command.ts';
import type { RUNTIME } from './protocol/runtime.ts';
import type { RemoteObjects } from './remote-objects.ts';
import { CONTEXT } from './scripts.ts';

/** What several domains answer with. */
export interface DomainParts {
  readonly evaluations: Evaluations;
  readonly pauses: Pauses;
  /** Whether the client gets the events. */
  readonly enable: (isEnabled: boolean) => void;
  readonly isEnabled: () => boolean;
  /** What of the console is a command. */
  readonly commandIn: (wish: Typed, asked: Asked) => Promise<object> | undefined;
}

interface Parts extends DomainParts {
  readonly objects: RemoteObjects;
  /** What takes long is not wanted any more. */
  readonly giveUp: () => void;
}

const done = (): void => {};

export function runtimeAnswers(ground: Ground, parts: Parts): AnswersOf<typeof RUNTIME> {
  const { objects, evaluations, pauses } = parts;
  return {
    enable: (_, { afterwards }) => {
      if (parts.isEnabled()) return;
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
    },
    disable: () => parts.enable(false),
    runIfWaitingForDebugger: done,
    setAsyncCallStackDepth: ({ maxDepth }) => void (pauses.frames.depth = maxDepth),
    discardConsoleEntries: done,
    evaluate: (wish, asked) => parts.commandIn(wish, asked) ?? evaluations.evaluate(wish, undefined, asked.signal),
    callFunctionOn: (wish, { signal }) => evaluations.call(wish, signal),
    // Those of prototypes are theirs: they are opened there.
    getProperties: async ({ objectId, accessorPropertiesOnly, generatePreview = false }) =>
      accessorPropertiesOnly === true ? { result: [] } : objects.properties(objectId, generatePreview),
    releaseObject: done,
    releaseObjectGroup: done,
    terminateExecution: () => parts.giveUp(),
  };
}
