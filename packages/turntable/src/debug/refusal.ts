// Refusal to open a recording, as a message for windows: the reason, and the overrides that the user may try.
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

/** Sends a refusal to the parent process, which speaks the protocol on standard streams. */
export function sendRefusal(error: unknown): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'refused', params: openRefusalOf(error) })}\n`);
}
