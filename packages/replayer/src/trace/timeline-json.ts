// Timeline of a recording in JSON, with one event per line, for programs that read line by line. docs/guide/export.md is
// the contract.
import type { Manifest, Recording } from '@turntable/recording';
import { eventJson } from './event-json.ts';
import type { ThreadEnd, TimedEvent } from './timeline.ts';

export const TIMELINE_VERSION = 2;

export function* timelineJson(
  recording: Recording,
  manifest: Manifest,
  events: Iterable<TimedEvent>,
  ends: readonly ThreadEnd[],
): Generator<string, void, undefined> {
  const { modules, ...described } = manifest;
  const snapshots = recording.snapshots().map(({ phase, time, bytes }) => ({ phase, time, bytes }));
  yield `{"format":"turntable-timeline","version":${TIMELINE_VERSION},\n`;
  yield `"recording":${JSON.stringify({ ...described, modules: modules.map(({ url }) => url) })},\n`;
  yield `"snapshots":${JSON.stringify(snapshots)},\n"events":[\n`;
  let separator = '';
  for (const { worker, epoch, phase, number, time, isRead, event } of events) {
    yield `${separator}${JSON.stringify({ time: microseconds(time), isRead, worker, epoch, phase, event: number, ...eventJson(event) })}`;
    separator = ',\n';
  }
  yield `\n],\n"ends":${JSON.stringify(ends)}}\n`;
}

/** Rounds to microseconds, the precision of a double for times since 1970. */
function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
