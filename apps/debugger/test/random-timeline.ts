// Random timelines.
import fc from 'fast-check';
import { Timeline } from '../src/model/timeline.ts';

export interface RandomTask {
  readonly actor: number;
  readonly waitMs: number;
  readonly sender: number;
  readonly eventKind: number | undefined;
}

export const randomTasks: fc.Arbitrary<RandomTask[]> = fc.array(
  fc.record({
    actor: fc.nat(4),
    waitMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 10, noNaN: true })),
    sender: fc.nat(1000),
    eventKind: fc.option(fc.nat(3), { nil: undefined, freq: 5 }),
  }),
  { minLength: 1, maxLength: 300, size: 'max' },
);

/** Builds a timeline page by page, like the protocol. @param onPage is called after each page */
export function buildTimeline(
  all: readonly RandomTask[],
  pageSize = 64,
  onPage: (timeline: Timeline) => void = () => undefined,
): Timeline {
  let timeline = new Timeline(all.length);
  let time = 0;
  for (let from = 0; from < all.length; from += pageSize) {
    const page = all.slice(from, from + pageSize);
    const events = page.flatMap(({ eventKind }, i) => (eventKind === undefined ? [] : [[i, eventKind] as const]));
    // A sender comes before its receiver.
    const senderDistances = page.map(({ sender }, i) => sender % (from + i + 1));
    timeline = timeline.append({
      count: page.length,
      times: toBase64(timeColumn(page.map(({ waitMs }) => (time += Math.round(waitMs * 1000))))),
      actors: toBase64(Uint8Array.from(page, ({ actor }) => actor)),
      kinds: toBase64(Uint8Array.from(page, ({ actor }) => actor % 3)),
      // Different widths on different pages.
      senders: toBase64(from % 128 === 0 ? Uint16Array.from(senderDistances) : Uint32Array.from(senderDistances)),
      statementLists: toBase64(Uint32Array.from(page, ({ waitMs }) => Math.floor(waitMs))),
      eventCount: events.length,
      eventTasks: toBase64(Uint32Array.from(events, ([order]) => order)),
      eventKinds: toBase64(Uint8Array.from(events, ([, eventKind]) => eventKind)),
    });
    onPage(timeline);
  }
  return timeline;
}

function timeColumn(all: readonly number[]): Uint32Array | Float64Array {
  return Math.max(...all) < 2 ** 32 ? Uint32Array.from(all) : Float64Array.from(all);
}

function toBase64(words: Uint8Array | Uint16Array | Uint32Array | Float64Array): string {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('base64');
}
