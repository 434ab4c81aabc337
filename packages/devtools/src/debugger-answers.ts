// The domain Debugger: what takes somebody elsewhere is answered at once and told when all have come there.
import { randomBytes } from 'node:crypto';
import type { Going } from '@turntable/time-machine/client';
import type { Breakpoints } from './breakpoints.ts';
import { DevtoolsError } from './devtools-error.ts';
import type { Ground } from './ground.ts';
import type { Reason, Step } from './pauses.ts';
import type { AnswersOf, Asked } from './protocol/command.ts';
import type { DEBUGGER } from './protocol/debugger.ts';
import type { DomainParts } from './runtime-answers.ts';
import { isFrom, type Script } from './scripts.ts';

interface Parts extends DomainParts {
  readonly breakpoints: Breakpoints;
  /** @param from how many are known */
  readonly tellScripts: (from: number) => void;
  /** Of a program that goes on: what it has recorded by now is read, and all stand at the end of that. */
  readonly toNow: () => Promise<void>;
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
  const goes = ({ afterwards }: Asked, going: Going<Reason>): void => {
    check();
    afterwards(() => void pauses.go(going));
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
    removeBreakpoint: ({ breakpointId }) => breakpoints.remove(breakpointId),
    setBreakpointsActive: ({ active }) => breakpoints.setActive(active),
    setSkipAllPauses: ({ skip }) => breakpoints.setActive(!skip),
    setPauseOnExceptions: ({ state }) => {
      check();
      return breakpoints.setErrors(state);
    },
    setAsyncCallStackDepth: ({ maxDepth }) => void (pauses.frames.depth = maxDepth),
    setBlackboxPatterns: ({ patterns }) => {
      try {
        pauses.pass(patterns);
      } catch (error) {
        throw new DevtoolsError('TT_CDP_NOT_THERE', `Pattern parser error: ${(error as Error).message}`);
      }
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
    },
    pause: (_, { afterwards }) => {
      check();
      afterwards(() => {
        if (pauses.isGoing) pauses.giveUp();
        else if (ground.hello.recording.until === undefined) pauses.stay();
        else void parts.toNow();
      });
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
