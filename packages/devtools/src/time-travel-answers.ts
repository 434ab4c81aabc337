// The domain TimeTravel: back, and every move that the time machine describes. Nothing here has a list of moves.
import { METHODS, type MethodName, type ParamsOf } from '@turntable/time-machine/protocol';
import type { Breakpoints } from './breakpoints.ts';
import { DevtoolsError } from './devtools-error.ts';
import type { Ground } from './ground.ts';
import type { Pauses, Step } from './pauses.ts';
import type { AnswersOf, Asked } from './protocol/command.ts';
import type { TIME_TRAVEL } from './protocol/time-travel.ts';

interface Parts {
  readonly pauses: Pauses;
  readonly breakpoints: Breakpoints;
}

/** Of the protocol of the time machine, what is done here by other commands, which know who asks. */
const NOT_ASKED: ReadonlySet<string> = new Set(['hello', 'move', 'break', 'unbreak']);
const WROTE = 'wrote';

export function timeTravelAnswers(ground: Ground, { pauses, breakpoints }: Parts): AnswersOf<typeof TIME_TRAVEL> {
  const { client, hello } = ground;
  const back =
    (step: Step) =>
    (_: object, { signal }: Asked) =>
      pauses.go(pauses.step(step, 'backward'), signal);
  return {
    stepBack: back('over'),
    stepBackOver: back('over'),
    stepBackInto: back('into'),
    stepBackOut: back('out'),
    reverse: (_, { signal }) => pauses.go(pauses.onwards('backward'), signal),
    where: () => ({ where: pauses.where }),
    moves: () => {
      const { moves, breakpoints: kindsOfBreakpoints, kinds, marks } = hello;
      return { moves, breakpoints: kindsOfBreakpoints, kinds, marks };
    },
    positions: ({ from = 1, count = 100, ...wish }) => client.request('stretches', { from, count, ...wish }),
    now: (_, { signal }) => client.request('renew', {}, { signal }),
    goto: ({ position }, { signal }) => pauses.go(pauses.to(position), signal),
    move: (wanted, { signal }) => pauses.go(pauses.move(wanted), signal),
    find: (wanted, { signal }) => pauses.find(wanted, signal),
    whoWrote: ({ expression, stays = false }, { signal }) => {
      const wanted = { move: WROTE, arguments: { what: expression } };
      return stays ? pauses.find(wanted, signal) : pauses.go(pauses.move(wanted), signal);
    },
    setBreakpoint: async (wish) => {
      const known = hello.breakpoints.map(({ id }) => id);
      if (!known.includes(wish.kind))
        throw new DevtoolsError(
          'TT_CDP_PARAMS',
          `there is no kind ${wish.kind} of breakpoints; there are ${known.join(', ')}`,
        );
      return { breakpointId: await breakpoints.setKind(wish) };
    },
    output: async ({ from = 1, to = Infinity }, { signal }) => ({ writes: await pauses.output(from, to, signal) }),
    ask: async ({ method, params = {} }, { signal }) => {
      if (!Object.hasOwn(METHODS, method) || NOT_ASKED.has(method)) {
        const known = Object.keys(METHODS).filter((each) => !NOT_ASKED.has(each));
        throw new DevtoolsError(
          'TT_CDP_PARAMS',
          `there is no method ${method} to be asked; there are ${known.join(', ')}`,
        );
      }
      return { result: await client.request(method as MethodName, params as ParamsOf<'where'> as never, { signal }) };
    },
  };
}
