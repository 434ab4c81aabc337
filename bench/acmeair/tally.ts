// Latencies by kind of request. All are kept, so that every percentile can be computed.

import { VISIT_REQUEST_KINDS, type VisitRequestKind } from '../../examples/acmeair/load/visitor.ts';

export class Tally {
  readonly #milliseconds = new Map<VisitRequestKind, number[]>(VISIT_REQUEST_KINDS.map((kind) => [kind, []]));

  add(kind: VisitRequestKind, milliseconds: number): void {
    this.#milliseconds.get(kind)?.push(milliseconds);
  }

  addAll(other: Tally): void {
    for (const kind of VISIT_REQUEST_KINDS) for (const each of other.of(kind)) this.add(kind, each);
  }

  of(kind: VisitRequestKind): readonly number[] {
    return this.#milliseconds.get(kind) ?? [];
  }

  get all(): number[] {
    return VISIT_REQUEST_KINDS.flatMap((kind) => this.of(kind));
  }

  get mean(): number {
    return meanOf(this.all);
  }
}

/** Times in milliseconds. */
export interface Latency {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** Number of requests that took longer than 100 ms, and than 200 ms. */
  readonly over100: number;
  readonly over200: number;
}

export function latencyOf(milliseconds: readonly number[]): Latency {
  const sorted = Float64Array.from(milliseconds).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  const over = (limit: number): number => sorted.filter((each) => each > limit).length;
  return {
    count: sorted.length,
    mean: meanOf(milliseconds),
    p50: at(0.5),
    p99: at(0.99),
    p999: at(0.999),
    max: sorted.at(-1) ?? NaN,
    over100: over(100),
    over200: over(200),
  };
}

function meanOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
