// Tasks as columns of numbers, page by page, for timelines of a million tasks. As objects, they would take twenty
// times as many bytes.
import { endianness } from 'node:os';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { INDEXED_EVENT_KINDS } from '../task-log.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';
import { isListed } from './wire/tasks.ts';

const IS_LISTED = INDEXED_EVENT_KINDS.map((kind) => isListed({ kind }));

export class Overview {
  readonly #graph: TaskGraph;
  /** Index of each task's actor in the answer to `actors`. */
  readonly #actorNumbers: Uint32Array;

  constructor(graph: TaskGraph) {
    this.#graph = graph;
    this.#actorNumbers = new Uint32Array(graph.count + 1);
    const actors = graph.actors.toSorted((first, second) => (first.tasks[0] ?? 0) - (second.tasks[0] ?? 0));
    actors.forEach(({ tasks }, actorNumber) => {
      for (const order of tasks) this.#actorNumbers[order] = actorNumber;
    });
  }

  page({ from, count }: ParamsOf<'overview'>): ResultOf<'overview'> {
    const graph = this.#graph;
    const { columns, order } = graph.runIndex.tables;
    const startTime = graph.count === 0 ? 0 : columns.times.at(order[0] as number);
    const rowCount = Math.max(0, Math.min(count, graph.count - from + 1));
    const times = new Float64Array(rowCount);
    const [senders, statementLists] = [new Float64Array(rowCount), new Float64Array(rowCount)];
    const kinds = new Float64Array(rowCount);
    const eventTasks: number[] = [];
    const eventKinds: number[] = [];
    for (let i = 0; i < rowCount; i++) {
      const taskOrder = from + i;
      const row = order[taskOrder - 1] as number;
      times[i] = Math.round((columns.times.at(row) - startTime) * 1000);
      senders[i] = taskOrder - (graph.sender(taskOrder) ?? taskOrder);
      statementLists[i] = columns.statementLists.at(row);
      kinds[i] = columns.kinds.at(row);
    }
    const next = from + rowCount;
    graph.runIndex.forEachEvent(from, next - 1, (taskOrder, kind) => {
      if (IS_LISTED[kind] !== true) return;
      eventTasks.push(taskOrder - from);
      eventKinds.push(kind);
    });
    return {
      count: rowCount,
      times: encodeColumn(times),
      actors: encodeColumn(Float64Array.from(this.#actorNumbers.subarray(from, from + rowCount))),
      kinds: encodeColumn(kinds),
      senders: encodeColumn(senders),
      statementLists: encodeColumn(statementLists),
      eventCount: eventTasks.length,
      eventTasks: encodeColumn(Float64Array.from(eventTasks)),
      eventKinds: encodeColumn(Float64Array.from(eventKinds)),
      next: next <= graph.count ? next : undefined,
    };
  }
}

/** Encodes a column with the smallest width that fits all its values. */
function encodeColumn(values: Float64Array): string {
  let [min, max] = [0, 0];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  if (min < 0 || max >= 2 ** 32) return toBase64(values);
  if (max >= 2 ** 16) return toBase64(Uint32Array.from(values));
  return toBase64(max >= 2 ** 8 ? Uint16Array.from(values) : Uint8Array.from(values));
}

/** Encodes words in base64. They are little-endian on every computer. */
function toBase64(words: Uint8Array | Uint16Array | Uint32Array | Float64Array): string {
  const bytes = Buffer.from(words.buffer, words.byteOffset, words.byteLength);
  const { BYTES_PER_ELEMENT: bytesPerElement } = words;
  if (endianness() === 'BE' && bytesPerElement === 2) bytes.swap16();
  if (endianness() === 'BE' && bytesPerElement === 4) bytes.swap32();
  if (endianness() === 'BE' && bytesPerElement === 8) bytes.swap64();
  return bytes.toString('base64');
}
