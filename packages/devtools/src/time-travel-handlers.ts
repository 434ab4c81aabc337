// Handlers of the CDP domain `TimeTravel`: backward steps, all other moves that the server offers, breakpoints by kind,
// and requests of the client protocol.
import { METHODS, type MethodName, type ParamsOf } from '@turntable/time-machine/protocol';
import type { CdpBreakpoints } from './cdp-breakpoints.ts';
import { printLine, type CdpSessionContext } from './cdp-session-context.ts';
import { helpLines } from './console-commands.ts';
import { DevtoolsError } from './devtools-error.ts';
import type { CdpStepper, StepKind } from './cdp-stepper.ts';
import type { DomainHandlers, CdpRequest } from './protocol/command.ts';
import type { TIME_TRAVEL } from './protocol/time-travel.ts';

interface TimeTravelDeps {
  readonly stepper: CdpStepper;
  readonly breakpoints: CdpBreakpoints;
}

/** Methods with commands of their own: called directly, they would bypass the state that this session keeps. */
const EXCLUDED_METHODS: ReadonlySet<string> = new Set(['hello', 'move', 'addBreakpoint', 'removeBreakpoint']);
const LAST_WRITE_MOVE = 'last-write';

export function timeTravelHandlers(
  context: CdpSessionContext,
  { stepper, breakpoints }: TimeTravelDeps,
): DomainHandlers<typeof TIME_TRAVEL> {
  const { client, hello } = context;
  const stepBackHandler =
    (kind: StepKind) =>
    (_: object, { signal }: CdpRequest) =>
      stepper.run(stepper.step(kind, 'backward'), signal);
  return {
    help: ({ command }) => {
      for (const text of helpLines(command)) printLine(context, { type: 'info', text, time: Date.now() });
    },
    stepBack: stepBackHandler('over'),
    stepBackOver: stepBackHandler('over'),
    stepBackInto: stepBackHandler('into'),
    stepBackOut: stepBackHandler('out'),
    reverse: (_, { signal }) => stepper.run(stepper.continueMove('backward'), signal),
    cursor: () => ({ cursor: stepper.cursor }),
    moves: () => {
      const { moves, breakpointKinds, taskKinds, eventKinds } = hello;
      return { moves, breakpointKinds, taskKinds, eventKinds };
    },
    positions: ({ from = 1, count = 100, ...filter }) => client.request('tasks', { from, count, ...filter }),
    now: (_, { signal }) => client.request('refresh', {}, { signal }),
    goto: ({ position }, { signal }) => stepper.run(stepper.moveTo(position), signal),
    move: (params, { signal }) => stepper.run(stepper.namedMove(params), signal),
    find: (params, { signal }) => stepper.find(params, signal),
    whoWrote: ({ expression, stays = false }, { signal }) => {
      const params = { move: LAST_WRITE_MOVE, arguments: { expression } };
      return stays ? stepper.find(params, signal) : stepper.run(stepper.namedMove(params), signal);
    },
    setBreakpoint: async (params) => {
      const knownKinds = hello.breakpointKinds.map(({ id }) => id);
      if (!knownKinds.includes(params.kind))
        throw new DevtoolsError(
          'TT_CDP_PARAMS',
          `there is no breakpoint kind ${params.kind}; available: ${knownKinds.join(', ')}`,
        );
      return { breakpointId: await breakpoints.setKind(params) };
    },
    logPointHits: ({ count }) => breakpoints.setMaxLogPointHits(count),
    output: async ({ from = 1, to = Infinity }, { signal }) => ({
      writes: await stepper.printOutput(from, to, signal),
    }),
    ask: async ({ method, params = {} }, { signal }) => {
      if (!Object.hasOwn(METHODS, method) || EXCLUDED_METHODS.has(method)) {
        const knownMethods = Object.keys(METHODS).filter((each) => !EXCLUDED_METHODS.has(each));
        throw new DevtoolsError('TT_CDP_PARAMS', `there is no method ${method}; available: ${knownMethods.join(', ')}`);
      }
      return { result: await client.request(method as MethodName, params as ParamsOf<'cursor'> as never, { signal }) };
    },
  };
}
