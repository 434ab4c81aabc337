// Size of the traces of Acme Air: on disk, and how much of it is order and how much is data. Loading the database is
// subtracted: a run without requests measures it.

import { listRecordings, openRecording, type TraceEvent } from '@turntable/recording';
import { TraceEncoder } from '../../packages/recording/src/trace/trace-encoder.ts';
import { ChunkWriter } from '../../packages/recording/src/trace/chunk-writer.ts';
import { AirlineProcess, SETUPS, type AirlineSetup } from './lanes.ts';

/** Bytes per request, and megabytes per second in a closed loop. */
export interface TraceShare {
  readonly setup: string;
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
  setupNames: readonly string[],
  { customers, requests }: { readonly customers: number; readonly requests: number },
  progress: (line: string) => void,
): Promise<TraceShare[]> {
  const shares: TraceShare[] = [];
  for (const setup of SETUPS.filter(({ name }) => setupNames.includes(name))) {
    progress(`traces: ${setup.name}`);
    const [idle] = await recordTraces(setup, customers, 0);
    const [busy, elapsed] = await recordTraces(setup, customers, requests);
    const bytesPerRequest = (metric: keyof Bytes): number => (busy[metric] - idle[metric]) / requests;
    const requestsPerSecond = (requests / elapsed) * 1000;
    const megabytes = (bytesPerRequest('disk') * requestsPerSecond) / 1e6;
    shares.push({
      setup: setup.name,
      disk: bytesPerRequest('disk'),
      order: bytesPerRequest('order'),
      data: bytesPerRequest('data'),
      megabytes,
      requestsPerSecond,
    });
  }
  return shares;
}

async function recordTraces(
  setup: AirlineSetup,
  customers: number,
  requests: number,
): Promise<[Bytes, elapsed: number]> {
  // No recording is deleted during the run.
  const airline = await AirlineProcess.open(setup, customers, { TURNTABLE_KEEP: 'count=1000000' });
  try {
    const elapsed = requests === 0 ? 0 : (await airline.closedLoad(requests, 1)).elapsedMs;
    await airline.end();
    return [bytesIn(airline.recordings as string), elapsed];
  } finally {
    airline.removeRecordings();
  }
}

function bytesIn(recordings: string): Bytes {
  let [disk, order, all] = [0, 0, 0];
  for (const { directory } of listRecordings(recordings)) {
    const recording = openRecording(directory);
    for (const { worker, epoch, bytes } of recording.traces()) {
      disk += bytes;
      const reader = recording.trace(worker, epoch);
      const [withValues, withoutValues] = [new TraceSize(), new TraceSize()];
      for (; reader.next !== undefined; reader.take()) {
        withValues.add(reader.next);
        if (reader.next.type !== 'outcome') withoutValues.add(withoutValue(reader.next));
      }
      reader.close();
      all += withValues.bytes;
      order += withoutValues.bytes;
    }
  }
  return { disk, order, data: all - order };
}

/** The event without its data: when it happened and where it went. */
function withoutValue(event: Exclude<TraceEvent, { type: 'outcome' }>): TraceEvent {
  return event.type === 'messages' ? event : { ...event, value: undefined };
}

const CHUNK_BYTES = 1 << 20;

/** Size of events as a trace encodes them, before compression. */
class TraceSize {
  #filledBytes = 0;
  readonly #writer = new ChunkWriter(
    {
      nextChunk: (length, minLength) => {
        this.#filledBytes += length;
        return new Uint8Array(Math.max(CHUNK_BYTES, minLength));
      },
      stop: () => undefined,
    },
    new Uint8Array(CHUNK_BYTES),
  );
  readonly #encoder = new TraceEncoder(this.#writer);

  add(event: TraceEvent): void {
    const encoder = this.#encoder;
    if (event.type === 'messages') encoder.writeMessages(event.round, event.turns, event.worker, event.count);
    else if (event.type === 'scheduler')
      encoder.writeSchedulerEvent(event.round, event.turns, event.kind, event.key, event.value);
    else if (event.type === 'entry') encoder.writeEntry(event.round, event.step, event.source, event.id, event.value);
    else encoder.writeOutcome(event.source, event.value);
  }

  get bytes(): number {
    return this.#filledBytes + this.#writer.wholeEventBytes;
  }
}
