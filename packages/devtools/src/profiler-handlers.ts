// Handlers of the CDP domain `Profiler`. They accept what clients send first, and explain why there is no profile.
import { printLine, type CdpSessionContext } from './cdp-session-context.ts';
import { DevtoolsError } from './devtools-error.ts';
import type { DomainHandlers } from './protocol/command.ts';
import type { PROFILER } from './protocol/domains.ts';

const NO_PROFILE =
  'A recording has no CPU profile: it contains inputs and no samples, and a replay takes other times than the program. ' +
  'For the times of tasks: turntable export DIR --as chrome -o run.json, shown by ui.perfetto.dev';

const noop = (): void => {};

export function profilerHandlers(context: CdpSessionContext): DomainHandlers<typeof PROFILER> {
  const refuse = (): never => {
    throw new DevtoolsError('TT_CDP_NOT_THERE', NO_PROFILE);
  };
  return {
    enable: noop,
    disable: noop,
    setSamplingInterval: noop,
    start: () => {
      printLine(context, { type: 'info', text: NO_PROFILE, time: Date.now() });
      return refuse();
    },
    stop: refuse,
  };
}
