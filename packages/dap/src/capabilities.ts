// What clients are told that can be done here, and, when a recording is open, which kinds of things there are to stop at: those that its server describes.
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Hello } from './ground.ts';

export const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsBreakpointLocationsRequest: true,
  supportsDataBreakpoints: true,
  supportsExceptionFilterOptions: true,
  supportsExceptionInfoRequest: true,
  supportsEvaluateForHovers: true,
  supportsClipboardContext: true,
  supportsStepBack: true,
  supportsSteppingGranularity: true,
  supportsGotoTargetsRequest: true,
  supportsRestartFrame: true,
  supportsRestartRequest: true,
  supportsTerminateRequest: true,
  supportsCancelRequest: true,
  supportsDelayedStackTraceLoading: true,
  supportsLoadedSourcesRequest: true,
  supportsCompletionsRequest: false,
  exceptionBreakpointFilters: [],
};

export function filtersOf({ breakpoints }: Hello): DebugProtocol.ExceptionBreakpointsFilter[] {
  return breakpoints.map(({ id, title, group, tells, conditions }) => ({
    filter: id,
    label: `${group}: ${id}`,
    description: `Stops at ${title}.`,
    supportsCondition: conditions || tells !== undefined,
    ...(conditions || tells !== undefined ? { conditionDescription: describedCondition(tells, conditions) } : {}),
  }));
}

function describedCondition(tells: string | undefined, conditions: boolean): string {
  const pattern = tells === undefined ? [] : [`like PATTERN, of ${tells}, * for anything`];
  const both = tells !== undefined && conditions ? ['like PATTERN if EXPRESSION'] : [];
  return [...pattern, ...(conditions ? ['an expression'] : []), ...both].join('; ');
}
