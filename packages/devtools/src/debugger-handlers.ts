// Handlers of the CDP domain `Debugger`: scripts, breakpoints, steps, and expressions in frames. Commands that move
// respond at once and report a stop when the move has ended.
import { randomBytes } from 'node:crypto';
import type { QueuedMove } from '@turntable/time-machine/client';
import type { CdpBreakpoints } from './cdp-breakpoints.ts';
import { DevtoolsError } from './devtools-error.ts';
import type { CdpSessionContext } from './cdp-session-context.ts';
import type { PauseReason, StepKind } from './cdp-stepper.ts';
import type { DomainHandlers, CdpRequest } from './protocol/command.ts';
import type { DEBUGGER } from './protocol/debugger.ts';
import type { DomainDeps } from './runtime-handlers.ts';
import { isAtOrAfter, type Script } from './scripts.ts';

interface DebuggerDeps extends DomainDeps {
  readonly breakpoints: CdpBreakpoints;
  /** Announces scripts to the client. @param from number of scripts to omit, in the order of `Scripts.all` */
  readonly announceScripts: (from: number) => void;
  /** Makes the server reopen the recording of a running program up to its latest events, and moves to their end. */
  readonly readMore: () => Promise<void>;
}

export function debuggerHandlers(context: CdpSessionContext, deps: DebuggerDeps): DomainHandlers<typeof DEBUGGER> {
  const { scripts } = context;
  const { stepper, breakpoints, evaluator } = deps;
  const debuggerId = randomBytes(8).toString('hex');

  const requireScript = (id: string): Script => {
    const found = scripts.scriptWithId(id);
    if (found === undefined) throw new DevtoolsError('TT_CDP_NOT_THERE', `No script for id: ${id}`);
    return found;
  };
  const checkEnabled = (): void => {
    if (!deps.isEnabled()) throw new DevtoolsError('TT_CDP_NOT_THERE', 'Debugger agent is not enabled');
  };
  const startMove = ({ afterResponse }: CdpRequest, move: QueuedMove<PauseReason>): void => {
    checkEnabled();
    afterResponse(() => void stepper.run(move));
  };
  const stepHandler = (kind: StepKind) => (_: object, request: CdpRequest) =>
    startMove(request, stepper.step(kind, 'forward'));

  return {
    enable: (_, { afterResponse }) => {
      if (deps.isEnabled()) return { debuggerId };
      deps.setEnabled(true);
      deps.announceScripts(0);
      afterResponse(() => stepper.enable());
      return { debuggerId };
    },
    disable: async () => {
      stepper.disable();
      deps.setEnabled(false);
      await breakpoints.clear();
    },
    getScriptSource: ({ scriptId }) => ({ scriptSource: requireScript(scriptId).source }),
    searchInContent: ({ scriptId, query, caseSensitive = false, isRegex = false }) => {
      const matches = matcher(query, { isRegex, isExact: caseSensitive });
      const lines = requireScript(scriptId).lines.map((lineContent, lineNumber) => ({ lineNumber, lineContent }));
      return { result: lines.filter(({ lineContent }) => matches(lineContent)) };
    },
    getPossibleBreakpoints: async ({ start, end }) => {
      const all = await scripts.breakLocationsOf(requireScript(start.scriptId), context.client);
      return {
        locations: all.filter((each) => isAtOrAfter(start, each) && (end === undefined || !isAtOrAfter(end, each))),
      };
    },
    setBreakpointByUrl: async ({ url, urlRegex, scriptHash, ...params }) => {
      checkEnabled();
      const [selector, pattern] =
        url !== undefined ? [1, url] : urlRegex !== undefined ? [2, urlRegex] : [3, scriptHash];
      if (pattern === undefined)
        throw new DevtoolsError('TT_CDP_NOT_THERE', 'Either url or urlRegex or scriptHash must be specified.');
      const isMatch =
        selector === 2
          ? matcher(pattern, { isRegex: true, isExact: true })
          : (candidate: string) => candidate === pattern;
      const targets = scripts.all.filter(({ url: scriptUrl, hash }) => isMatch(selector === 3 ? hash : scriptUrl));
      const breakpointId = `${selector}:${params.lineNumber}:${params.columnNumber ?? 0}:${pattern}`;
      return { breakpointId, locations: await breakpoints.setLine(breakpointId, targets, params) };
    },
    setBreakpoint: async ({ location, condition }) => {
      checkEnabled();
      const target = requireScript(location.scriptId);
      const { lineNumber, columnNumber } = location;
      const breakpointId = `4:${target.id}:${lineNumber}:${columnNumber ?? 0}`;
      const [actualLocation] = await breakpoints.setLine(breakpointId, [target], {
        lineNumber,
        columnNumber,
        condition,
      });
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
      checkEnabled();
      return breakpoints.setPauseOnExceptions(state);
    },
    setAsyncCallStackDepth: ({ maxDepth }) => void (stepper.frames.maxSenders = maxDepth),
    setBlackboxPatterns: ({ patterns }) => {
      try {
        stepper.skipFiles(patterns);
      } catch (error) {
        throw new DevtoolsError('TT_CDP_NOT_THERE', `Pattern parser error: ${(error as Error).message}`);
      }
    },
    stepOver: stepHandler('over'),
    stepInto: stepHandler('into'),
    stepOut: stepHandler('out'),
    resume: (_, request) => {
      const { recording } = context.hello;
      if (recording.until === undefined || stepper.cursor.task !== undefined)
        return startMove(request, stepper.continueMove('forward'));
      checkEnabled();
      request.afterResponse(() => stepper.resumeProgram());
    },
    pause: (_, { afterResponse }) => {
      checkEnabled();
      afterResponse(() => {
        if (stepper.isMoving) stepper.cancel();
        else if (context.hello.recording.until === undefined) stepper.reportPosition();
        else void deps.readMore();
      });
    },
    continueToLocation: (params, request) => {
      const { lineNumber, columnNumber } = params.location;
      const target = requireScript(params.location.scriptId);
      const move = stepper.continueMove('forward');
      const id = `to ${target.id}:${lineNumber}:${columnNumber ?? 0}`;
      return startMove(request, {
        ...move,
        run: async (options) => {
          await breakpoints.setLine(id, [target], { lineNumber, columnNumber });
          try {
            return await move.run(options);
          } finally {
            await breakpoints.remove(id);
          }
        },
      });
    },
    restartFrame: ({ callFrameId }, request) => {
      const { index, position } = stepper.frames.frame(callFrameId);
      const start = index === 0 ? stepper.cursor.task?.position : undefined;
      const target = start ?? position;
      if (target === undefined) throw new DevtoolsError('TT_CDP_NOT_THERE', 'The position of this frame is unknown');
      startMove(request, stepper.moveTo(target));
      return { callFrames: [] };
    },
    evaluateOnCallFrame: ({ callFrameId, ...params }, request) => {
      const frame = stepper.frames.frame(callFrameId);
      return deps.runConsoleCommand(params, request) ?? evaluator.evaluate(params, frame, request.signal);
    },
    getStackTrace: async ({ stackTraceId }) => ({ stackTrace: await stepper.frames.senderStack(stackTraceId.id) }),
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
  const needle = isExact ? query : query.toLowerCase();
  return (text) => (isExact ? text : text.toLowerCase()).includes(needle);
}
