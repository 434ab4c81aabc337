// Why a recording cannot be opened, for a window: what the terminal prints, and what somebody may try all the same.
import { RecordingError } from '@turntable/recording';
import type { NotificationOf, WayPast } from '@turntable/time-machine/protocol';
import { NoSurvey } from '@turntable/replayer/engine';

export type Refused = NotificationOf<'refused'>;

export function refusalOf(error: unknown): Refused {
  const why = error instanceof Error ? error.message : String(error);
  return { why, ways: waysPast(error) };
}

function waysPast(error: unknown): readonly WayPast[] {
  if (error instanceof NoSurvey) return error.waysPast;
  return error instanceof RecordingError && error.code === 'TT_RECORDING_KEY' ? ['key'] : [];
}

/** To whoever has started this process to speak the protocol with it. */
export function tellRefusal(error: unknown): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'refused', params: refusalOf(error) })}\n`);
}
