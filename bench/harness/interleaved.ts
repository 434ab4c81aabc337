// Interleaved measurement of lanes. In each round every lane gets a new session. Samples are taken round robin and the
// first lane rotates with every sample, so that a machine that slows down affects all lanes alike.

export interface Sampler<Value> {
  sample(step: number): Promise<Value>;
  close(): Promise<void>;
}

export interface Lane<Value> {
  readonly name: string;
  open(): Promise<Sampler<Value>>;
}

export interface Rounds {
  readonly rounds: number;
  readonly samples: number;
  readonly warmup: number;
}

export interface InterleaveWatch {
  /** Called after each sample, warm-up samples included. */
  progress?(done: number, total: number): void;
  /** When aborted, the samples taken so far are returned: equally many of each lane. */
  readonly signal?: AbortSignal;
}

/** Returns the timed samples by round, lane and sample. */
export async function interleave<Value>(
  lanes: readonly Lane<Value>[],
  { rounds, samples, warmup }: Rounds,
  { progress, signal }: InterleaveWatch = {},
): Promise<Value[][][]> {
  const all: Value[][][] = [];
  const total = rounds * (samples + warmup) * lanes.length;
  let done = 0;
  const isStopped = (): boolean => signal?.aborted === true;
  for (let round = 0; round < rounds && !isStopped(); round++) {
    const sessions: Sampler<Value>[] = [];
    const values: Value[][] = lanes.map(() => []);
    try {
      for (const lane of lanes) sessions.push(await lane.open());
      for (let step = 0; step < warmup + samples && !isStopped(); step++)
        for (let turn = 0; turn < lanes.length; turn++) {
          const lane = (turn + round + step) % lanes.length;
          const value = await (sessions[lane] as Sampler<Value>).sample(step);
          if (step >= warmup) (values[lane] as Value[]).push(value);
          progress?.(++done, total);
        }
    } finally {
      for (const session of sessions) await session.close();
    }
    all.push(values);
  }
  return all;
}

/** Ratio of each sample to the baseline's sample of the same step, by round. */
export function pairedRatios<Value>(
  rounds: readonly (readonly (readonly Value[])[])[],
  lane: number,
  baseline: number,
  select: (value: Value) => number,
): number[][] {
  return rounds.map((values) =>
    (values[lane] as readonly Value[]).map(
      (value, i) => select(value) / select((values[baseline] as readonly Value[])[i] as Value),
    ),
  );
}
