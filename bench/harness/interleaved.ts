// Lanes that are measured in turns. In each round every lane gets a new session; samples go round robin, and who begins moves on with every sample: a machine
// that slows down does so under all of them.

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
  /** How many of all samples there are, the untimed ones among them. */
  progress?(done: number, total: number): void;
  /** Where it is aborted, what there is by then is answered: as many samples of all lanes. */
  readonly signal?: AbortSignal;
}

/** Timed samples by round, lane and sample. */
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

/** Of each sample against the baseline's of the same step, by round. */
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
