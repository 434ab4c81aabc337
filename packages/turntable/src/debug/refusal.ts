// Why a recording cannot be opened, for a window: what the terminal prints, and what somebody may try all the same.
import { RecordingError } from '@turntable/recording';
import type { NotificationOf, Override } from '@turntable/time-machine/protocol';
import { RunIndexError } from '@turntable/replayer/indexed-replay';

export type OpenRefusal = NotificationOf<'refused'>;

export function openRefusalOf(error: unknown): OpenRefusal {
  const reason = error instanceof Error ? error.message : String(error);
  return { reason, overrides: overridesOf(error) };
}

function overridesOf(error: unknown): readonly Override[] {
  if (error instanceof RunIndexError) return error.overrides;
  return error instanceof RecordingError && error.code === 'TT_RECORDING_KEY' ? ['key'] : [];
}

/** To whoever has started this process to speak the protocol with it. */
export function sendRefusal(error: unknown): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'refused', params: openRefusalOf(error) })}\n`);
}
