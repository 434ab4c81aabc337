// Channel from a thread to the writer thread, for the thread's parts of snapshots and its modules. The main thread only
// gets the number of chunks.
import type { MessagePort } from 'node:worker_threads';
import { Feed, type FeedHandle, type LiveRecording, type Writer } from '@turntable/recording';
import type { PartSink } from '@turntable/runtime';

/** Name of a worker's part in a snapshot. */
export const STATE_PART = 'state';

/** Data from which a thread creates its feed; can be posted. */
interface PartFeedData {
  readonly handle: FeedHandle;
  readonly recording: number;
}

export class PartFeed implements PartSink {
  readonly #feed: Feed;
  readonly #recording: number;
  readonly #worker: number;

  /** @param data result of `createPartFeedData` */
  constructor(data: unknown, worker: number) {
    const { handle, recording } = data as PartFeedData;
    this.#feed = new Feed(handle);
    this.#recording = recording;
    this.#worker = worker;
  }

  get pending(): number {
    return this.#feed.pending;
  }

  add(phase: number, bytes: Uint8Array): void {
    this.#feed.add({ recording: this.#recording, phase }, this.#worker, STATE_PART, bytes);
  }

  addModule(url: string, source: string, settings: string): void {
    this.#feed.addModule(this.#recording, url, source, settings);
  }

  /** Blocks until the texts of added modules are written, so that they survive a kill. */
  waitForModules(): void {
    this.#feed.waitForModules();
  }
}

export function createPartFeedData(writer: Writer, live: LiveRecording): { data: unknown; transfer: MessagePort[] } {
  const handle = writer.createFeed();
  return { data: { handle, recording: live.number } satisfies PartFeedData, transfer: [handle.port] };
}
