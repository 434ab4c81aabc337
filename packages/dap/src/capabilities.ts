// The capabilities reported to clients, and the exception filters of an open recording: one for each breakpoint kind.
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { HelloResult } from './session-context.ts';

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

export function exceptionFiltersOf({ breakpointKinds }: HelloResult): DebugProtocol.ExceptionBreakpointsFilter[] {
  return breakpointKinds.map(({ id, title, group, detail, canHaveCondition }) => ({
    filter: id,
    label: `${group}: ${id}`,
    description: `Stops at ${title}.`,
    supportsCondition: canHaveCondition || detail !== undefined,
    ...(canHaveCondition || detail !== undefined
      ? { conditionDescription: conditionHelp(detail, canHaveCondition) }
      : {}),
  }));
}

function conditionHelp(detail: string | undefined, canHaveCondition: boolean): string {
  const pattern = detail === undefined ? [] : [`like PATTERN, of ${detail}, * for anything`];
  const both = detail !== undefined && canHaveCondition ? ['like PATTERN if EXPRESSION'] : [];
  return [...pattern, ...(canHaveCondition ? ['an expression'] : []), ...both].join('; ');
}
