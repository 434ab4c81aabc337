// Handlers of the CDP domain `Runtime`: values, expressions and the program's output, and dependencies that it shares
// with the domain `Debugger`.
import { Script } from 'node:vm';
import type { CdpEvaluator, ConsoleInput } from './cdp-evaluator.ts';
import { COMMANDS_NAME } from './console-commands.ts';
import { printLine, type CdpSessionContext } from './cdp-session-context.ts';
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

const ISOLATE_ID = `turntable.${EXECUTION_CONTEXT_ID}`;
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
          uniqueId: ISOLATE_ID,
          auxData: { isDefault: true },
        },
      });
      afterResponse(() => void printConsoleStart(context, stepper));
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
    compileScript: ({ expression, sourceURL }) => {
      try {
        new Script(expression, { filename: sourceURL });
        return {};
      } catch (error) {
        const { exceptionDetails } = evaluator.exceptionResult(String(error));
        return { exceptionDetails };
      }
    },
    globalLexicalScopeNames: () => ({ names: [COMMANDS_NAME] }),
    getIsolateId: () => ({ id: ISOLATE_ID }),
    releaseObject: noop,
    releaseObjectGroup: noop,
    terminateExecution: () => deps.abortAll(),
  };
}

/** Prints how to go back, and the output of the program up to the current position. */
async function printConsoleStart(context: CdpSessionContext, stepper: CdpStepper): Promise<void> {
  const { client, hello } = context;
  const { tasks } = await client.request('tasks', { from: 1, count: 1 }).catch(() => ({ tasks: [] }));
  const commands = `To go back: ${COMMANDS_NAME}.stepBack(); all commands: ${COMMANDS_NAME}.help()`;
  const text = `Turntable: recording ${hello.recording.name}. ${commands}`;
  // Chrome sorts lines by time, and this one comes before the output of the program.
  printLine(context, { type: 'info', text, time: tasks[0]?.time ?? Date.now() });
  await stepper.printEarlierOutput();
}
