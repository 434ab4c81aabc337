// What traces of Acme Air take: on the disk, and what of that says in which order things came, and what came. A run with requests against one that only fills the
// database.

import { listRecordings, openRecording, type TraceEvent } from '@turntable/recording';
import { TraceEncoder } from '../../packages/recording/src/trace/encoder.ts';
import { Pen } from '../../packages/recording/src/trace/pen.ts';
import { Airline, WAYS, type Way } from './lanes.ts';

/** Bytes a request; megabytes a second where requests came one after the other. */
export interface Share {
  readonly way: string;
  readonly disk: number;
  readonly order: number;
  readonly data: number;
  readonly megabytes: number;
  readonly requestsPerSecond: number;
}

interface Bytes {
  readonly disk: number;
  readonly order: number;
  readonly data: number;
}

export async function traceShares(
  ways: readonly string[],
  { customers, requests }: { readonly customers: number; readonly requests: number },
  progress: (line: string) => void,
): Promise<Share[]> {
  const shares: Share[] = [];
  for (const way of WAYS.filter(({ name }) => ways.includes(name))) {
    progress(`traces: ${way.name}`);
    const [idle] = await recorded(way, customers, 0);
    const [busy, elapsed] = await recorded(way, customers, requests);
    const each = (what: keyof Bytes): number => (busy[what] - idle[what]) / requests;
    const requestsPerSecond = (requests / elapsed) * 1000;
    const megabytes = (each('disk') * requestsPerSecond) / 1e6;
    shares.push({
      way: way.name,
      disk: each('disk'),
      order: each('order'),
      data: each('data'),
      megabytes,
      requestsPerSecond,
    });
  }
  return shares;
}

async function recorded(way: Way, customers: number, requests: number): Promise<[Bytes, elapsed: number]> {
  // All of it is kept.
  const airline = await Airline.open(way, customers, { TURNTABLE_KEEP: 'count=1000000' });
  try {
    const elapsed = requests === 0 ? 0 : (await airline.closed(requests, 1)).elapsed;
    await airline.end();
    return [bytesIn(airline.recordings as string), elapsed];
  } finally {
    airline.forget();
  }
}

function bytesIn(recordings: string): Bytes {
  let [disk, order, all] = [0, 0, 0];
  for (const { directory } of listRecordings(recordings)) {
    const recording = openRecording(directory);
    for (const { worker, life, bytes } of recording.traces()) {
      disk += bytes;
      const reader = recording.trace(worker, life);
      const [whole, bare] = [new Measure(), new Measure()];
      for (; reader.next !== undefined; reader.take()) {
        whole.add(reader.next);
        if (reader.next.what !== 'outcome') bare.add(withoutValue(reader.next));
      }
      reader.close();
      all += whole.bytes;
      order += bare.bytes;
    }
  }
  return { disk, order, data: all - order };
}

/** When and to whom, and not with what. */
function withoutValue(event: Exclude<TraceEvent, { what: 'outcome' }>): TraceEvent {
  return event.what === 'messages' ? event : { ...event, value: undefined };
}

const PIECE = 1 << 20;

/** How many bytes events take as a trace has them, before they are compressed. */
class Measure {
  #before = 0;
  readonly #pen = new Pen(
    {
      next: (length, least) => {
        this.#before += length;
        return new Uint8Array(Math.max(PIECE, least));
      },
      stop: () => undefined,
    },
    new Uint8Array(PIECE),
  );
  readonly #encoder = new TraceEncoder(this.#pen);

  add(event: TraceEvent): void {
    const encoder = this.#encoder;
    if (event.what === 'messages') encoder.messages(event.round, event.turns, event.worker, event.count);
    else if (event.what === 'happened') encoder.happened(event.round, event.turns, event.kind, event.key, event.value);
    else if (event.what === 'entry') encoder.entry(event.round, event.step, event.source, event.id, event.value);
    else encoder.outcome(event.source, event.value);
  }

  get bytes(): number {
    return this.#before + this.#pen.length;
  }
}
