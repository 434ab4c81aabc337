// The capabilities reported to clients, with the exception filters.
import type { DebugProtocol } from '@vscode/debugprotocol';

/** Exception filters, with the breakpoint kind of each. */
export const EXCEPTION_FILTERS = [
  {
    filter: 'all',
    kind: 'exception',
    label: 'All Exceptions',
    description: 'Stops at each throw and rejection, caught or not.',
  },
  {
    filter: 'uncaught',
    kind: 'uncaught',
    label: 'Uncaught Exceptions',
    description: 'Stops at errors that nothing caught.',
  },
  {
    filter: 'rejections',
    kind: 'rejection',
    label: 'Rejections',
    description: 'Stops at throws that rejected a promise.',
  },
] as const;

const CONDITION_DESCRIPTION = 'an expression; like TEXT, a part of the error message; or like TEXT if EXPRESSION';

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
  supportsCompletionsRequest: true,
  completionTriggerCharacters: ['.', '#'],
  exceptionBreakpointFilters: EXCEPTION_FILTERS.map(({ filter, label, description }) => ({
    filter,
    label,
    description,
    supportsCondition: true,
    conditionDescription: CONDITION_DESCRIPTION,
  })),
};
