// Handlers of the CDP domain `Runtime`: values, expressions and the program's output, and dependencies that it shares
// with the domain `Debugger`.
import type { CdpEvaluator, ConsoleInput } from './cdp-evaluator.ts';
import type { CdpSessionContext } from './cdp-session-context.ts';
import type { CdpStepper } from './cdp-stepper.ts';
import type { DomainHandlers, CdpRequest } from './protocol/command.ts';
import type { RUNTIME } from './protocol/runtime.ts';
import type { RemoteObjects } from './remote-objects.ts';
import { EXECUTION_CONTEXT_ID } from './scripts.ts';

/** Dependencies of the handlers of `Runtime` and `Debugger`. */
export interface DomainDeps {
  readonly evaluator: CdpEvaluator;
  readonly stepper: CdpStepper;
  /** Sets whether the client receives the domain's events. */
  readonly setEnabled: (isEnabled: boolean) => void;
  readonly isEnabled: () => boolean;
  /** Runs a console input that is a command of `TimeTravel`; undefined for any other input. */
  readonly runConsoleCommand: (input: ConsoleInput, request: CdpRequest) => Promise<object> | undefined;
}

interface RuntimeDeps extends DomainDeps {
  readonly objects: RemoteObjects;
  /** Aborts all requests in progress. */
  readonly abortAll: () => void;
}

const noop = (): void => {};

export function runtimeHandlers(context: CdpSessionContext, deps: RuntimeDeps): DomainHandlers<typeof RUNTIME> {
  const { objects, evaluator, stepper } = deps;
  return {
    enable: (_, { afterResponse }) => {
      if (deps.isEnabled()) return;
      deps.setEnabled(true);
      context.sendEvent('Runtime.executionContextCreated', {
        context: {
          id: EXECUTION_CONTEXT_ID,
          origin: '',
          name: context.hello.recording.name,
          uniqueId: `turntable.${EXECUTION_CONTEXT_ID}`,
          auxData: { isDefault: true },
        },
      });
      afterResponse(() => void stepper.printEarlierOutput());
    },
    disable: () => deps.setEnabled(false),
    runIfWaitingForDebugger: noop,
    setAsyncCallStackDepth: ({ maxDepth }) => void (stepper.frames.maxSenders = maxDepth),
    discardConsoleEntries: noop,
    evaluate: (params, request) =>
      deps.runConsoleCommand(params, request) ?? evaluator.evaluate(params, undefined, request.signal),
    callFunctionOn: (params, { signal }) => evaluator.call(params, signal),
    // Clients also request the accessors of all prototypes; these are listed with the prototype's own properties
    // instead.
    getProperties: async ({ objectId, accessorPropertiesOnly, generatePreview = false }) =>
      accessorPropertiesOnly === true ? { result: [] } : objects.properties(objectId, generatePreview),
    releaseObject: noop,
    releaseObjectGroup: noop,
    terminateExecution: () => deps.abortAll(),
  };
}
