// The domain Debugger: what takes somebody elsewhere is answered at once and told when all have come there.
import { randomBytes } from 'node:crypto';
import type { Going } from '@turntable/time-machine/client';
import type { Breakpoints } from './breakpoints.ts';
import { DevtoolsError } from './devtools-error.ts';
import type { Evaluations, Typed } from './evaluation.ts';
import type { Ground } from './ground.ts';
import type { Pauses, Reason, Step } from './pauses.ts';
import type { AnswersOf, Asked } from './protocol/command.ts';
import type { DEBUGGER } from './protocol/debugger.ts';
import { isFrom, type Script } from './scripts.ts';

interface Parts {
  readonly pauses: Pauses;
  readonly breakpoints: Breakpoints;
  readonly evaluations: Evaluations;
  /** Whether the client is told. */
  readonly enable: (isEnabled: boolean) => void;
  readonly isEnabled: () => boolean;
  /** @param from how many are known */
  readonly tellScripts: (from: number) => void;
  /** Of a program that goes on: what it has recorded by now is read, and all stand at the end of that. */
  readonly toNow: () => Promise<void>;
  /** What of the console is a command. */
  readonly commandIn: (wish: Typed, asked: Asked) => Promise<object> | undefined;
}

export function debuggerAnswers(ground: Ground, parts: Parts): AnswersOf<typeof DEBUGGER> {
  const { scripts } = ground;
  const { pauses, breakpoints, evaluations } = parts;
  const debuggerId = randomBytes(8).toString('hex');

  const script = (id: string): Script => {
    const found = scripts.withId(id);
    if (found === undefined) throw new DevtoolsError('TT_CDP_NOT_THERE', `No script for id: ${id}`);
    return found;
  };
  const check = (): void => {
    if (!parts.isEnabled()) throw new DevtoolsError('TT_CDP_NOT_THERE', 'Debugger agent is not enabled');
  };
  const goes = ({ afterwards }: Asked, going: Going<Reason>): undefined => {
    check();
    afterwards(() => void pauses.go(going));
    return undefined;
  };
  const steps = (step: Step) => (_: object, asked: Asked) => goes(asked, pauses.step(step, 'forward'));

  return {
    enable: (_, { afterwards }) => {
      if (parts.isEnabled()) return { debuggerId };
      parts.enable(true);
      parts.tellScripts(0);
      afterwards(() => pauses.begin());
      return { debuggerId };
    },
    disable: async () => {
      pauses.cease();
      parts.enable(false);
      await breakpoints.clear();
      return undefined;
    },
    getScriptSource: ({ scriptId }) => ({ scriptSource: script(scriptId).text }),
    searchInContent: ({ scriptId, query, caseSensitive = false, isRegex = false }) => {
      const isFound = matcher(query, { isRegex, isExact: caseSensitive });
      const found = script(scriptId).lines.map((lineContent, lineNumber) => ({ lineNumber, lineContent }));
      return { result: found.filter(({ lineContent }) => isFound(lineContent)) };
    },
    getPossibleBreakpoints: async ({ start, end }) => {
      const all = await scripts.placesOf(script(start.scriptId), ground.client);
      return { locations: all.filter((each) => isFrom(start, each) && (end === undefined || !isFrom(end, each))) };
    },
    setBreakpointByUrl: async ({ url, urlRegex, scriptHash, ...wish }) => {
      check();
      const [sort, text] = url !== undefined ? [1, url] : urlRegex !== undefined ? [2, urlRegex] : [3, scriptHash];
      if (text === undefined)
        throw new DevtoolsError('TT_CDP_NOT_THERE', 'Either url or urlRegex or scriptHash must be specified.');
      const isLike = sort === 2 ? matcher(text, { isRegex: true, isExact: true }) : (its: string) => its === text;
      const meant = scripts.all.filter(({ url: its, hash }) => isLike(sort === 3 ? hash : its));
      const breakpointId = `${sort}:${wish.lineNumber}:${wish.columnNumber ?? 0}:${text}`;
      return { breakpointId, locations: await breakpoints.setLine(breakpointId, meant, wish) };
    },
    setBreakpoint: async ({ location, condition }) => {
      check();
      const its = script(location.scriptId);
      const { lineNumber, columnNumber } = location;
      const breakpointId = `4:${its.id}:${lineNumber}:${columnNumber ?? 0}`;
      const [actualLocation] = await breakpoints.setLine(breakpointId, [its], { lineNumber, columnNumber, condition });
      if (actualLocation === undefined) {
        await breakpoints.remove(breakpointId);
        throw new DevtoolsError('TT_CDP_NOT_THERE', 'Could not resolve breakpoint');
      }
      return { breakpointId, actualLocation };
    },
    removeBreakpoint: async ({ breakpointId }) => {
      await breakpoints.remove(breakpointId);
      return undefined;
    },
    setBreakpointsActive: async ({ active }) => {
      await breakpoints.setActive(active);
      return undefined;
    },
    setSkipAllPauses: async ({ skip }) => {
      await breakpoints.setActive(!skip);
      return undefined;
    },
    setPauseOnExceptions: async ({ state }) => {
      check();
      await breakpoints.setErrors(state);
      return undefined;
    },
    setAsyncCallStackDepth: ({ maxDepth }) => {
      pauses.frames.depth = maxDepth;
      return undefined;
    },
    setBlackboxPatterns: ({ patterns }) => {
      try {
        pauses.pass(patterns);
      } catch (error) {
        throw new DevtoolsError('TT_CDP_NOT_THERE', `Pattern parser error: ${(error as Error).message}`);
      }
      return undefined;
    },
    stepOver: steps('over'),
    stepInto: steps('into'),
    stepOut: steps('out'),
    resume: (_, asked) => {
      const { recording } = ground.hello;
      if (recording.until === undefined || pauses.where.stretch !== undefined)
        return goes(asked, pauses.onwards('forward'));
      check();
      asked.afterwards(() => pauses.letGo());
      return undefined;
    },
    pause: (_, { afterwards }) => {
      check();
      afterwards(() => {
        if (pauses.isGoing) pauses.giveUp();
        else if (ground.hello.recording.until === undefined) pauses.stay();
        else void parts.toNow();
      });
      return undefined;
    },
    continueToLocation: (params, asked) => {
      const { lineNumber, columnNumber } = params.location;
      const its = script(params.location.scriptId);
      const going = pauses.onwards('forward');
      const id = `to ${its.id}:${lineNumber}:${columnNumber ?? 0}`;
      return goes(asked, {
        ...going,
        lead: async (options) => {
          await breakpoints.setLine(id, [its], { lineNumber, columnNumber });
          try {
            return await going.lead(options);
          } finally {
            await breakpoints.remove(id);
          }
        },
      });
    },
    restartFrame: ({ callFrameId }, asked) => {
      const { index, position } = pauses.frames.frame(callFrameId);
      const begin = index === 0 ? pauses.where.stretch?.position : undefined;
      const to = begin ?? position;
      if (to === undefined) throw new DevtoolsError('TT_CDP_NOT_THERE', 'Where this frame stands is not known');
      goes(asked, pauses.to(to));
      return { callFrames: [] };
    },
    evaluateOnCallFrame: ({ callFrameId, ...wish }, asked) => {
      const frame = pauses.frames.frame(callFrameId);
      return parts.commandIn(wish, asked) ?? evaluations.evaluate(wish, frame, asked.signal);
    },
    getStackTrace: async ({ stackTraceId }) => ({ stackTrace: await pauses.frames.senders(stackTraceId.id) }),
  };
}

function matcher(
  query: string,
  { isRegex, isExact }: { isRegex: boolean; isExact: boolean },
): (text: string) => boolean {
  if (isRegex) {
    const pattern = new RegExp(query, isExact ? '' : 'i');
    return (text) => pattern.test(text);
  }
  const wanted = isExact ? query : query.toLowerCase();
  return (text) => (isExact ? text : text.toLowerCase()).includes(wanted);
}
