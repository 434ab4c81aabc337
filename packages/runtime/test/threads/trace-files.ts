// A trace as lines of a file, each written at once, so that nothing is lost however a thread ends.
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { TraceEvent, TraceSink, TraceSource } from '@turntable/recording';
import { MemorySink, MemorySource } from '../memory-trace.ts';

const END = 'end';

function fileOf(directory: string, worker: number, epoch: number): string {
  return join(directory, `${worker}.${epoch}.trace`);
}

export class LineSink extends MemorySink implements TraceSink {
  readonly #file: string;

  constructor(directory: string, worker: number, epoch: number) {
    super();
    this.#file = fileOf(directory, worker, epoch);
    appendFileSync(this.#file, '');
  }

  override commit(): void {
    const lines = this.events.slice(this.committed).map((event) => `${serialize(event).toString('base64')}\n`);
    super.commit();
    if (lines.length > 0) appendFileSync(this.#file, lines.join(''));
  }

  override end(): void {
    this.commit();
    appendFileSync(this.#file, `${END}\n`);
  }
}

export function sourceOf(directory: string, worker: number, epoch: number): TraceSource {
  const file = fileOf(directory, worker, epoch);
  const lines = existsSync(file) ? readFileSync(file, 'latin1').split('\n').slice(0, -1) : [];
  const isWhole = lines.at(-1) === END;
  if (isWhole) lines.pop();
  const events = lines.map((line) => deserialize(Buffer.from(line, 'base64')) as TraceEvent);
  return new MemorySource(events, isWhole ? 'ended' : 'cut off');
}

/** Cuts a trace off after a share of its events; returns their number. */
export function truncateTrace(directory: string, worker: number, share: number): number {
  const file = fileOf(directory, worker, 0);
  const lines = readFileSync(file, 'latin1').split('\n').slice(0, -1);
  const kept = lines.slice(0, Math.floor((lines.length - 1) * share));
  writeFileSync(file, kept.map((line) => `${line}\n`).join(''));
  return kept.length;
}

/** Last epoch of each worker. */
export function lastEpochsOf(directory: string): number[] {
  const epochs: number[] = [];
  for (const name of readdirSync(directory)) {
    const [, worker, epoch] = /^(\d+)\.(\d+)\.trace$/.exec(name) ?? [];
    if (worker !== undefined) epochs[Number(worker)] = Math.max(epochs[Number(worker)] ?? 0, Number(epoch));
  }
  return Array.from(epochs, (epoch) => epoch ?? 0);
}
