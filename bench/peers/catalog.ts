// Programs and peers. The programs are Savina's, at its default sizes. Every peer implements them in its own idiom and
// returns a result that proves that it did the work.

import { fileURLToPath } from 'node:url';
import { draw } from './js/draw.ts';
import type { Size } from './js/measure.ts';

export interface PeerProgram {
  readonly name: string;
  readonly full: Size;
  readonly quick: Size;
  readonly unit: 'M messages/s' | 'k actors/s';
  /** Number of messages sent, or of actors created. */
  work(size: Size): number;
  result(size: Size): number;
}

export const ONE_THREAD: readonly PeerProgram[] = [
  {
    name: 'PingPong',
    full: { actors: 2, count: 40_000 },
    quick: { actors: 2, count: 10_000 },
    unit: 'M messages/s',
    work: ({ count }) => 2 * count,
    result: ({ count }) => count,
  },
  {
    name: 'Counting',
    full: { actors: 2, count: 1_000_000 },
    quick: { actors: 2, count: 100_000 },
    unit: 'M messages/s',
    work: ({ count }) => count,
    result: ({ count }) => count,
  },
  {
    name: 'ThreadRing',
    full: { actors: 100, count: 100_000 },
    quick: { actors: 100, count: 20_000 },
    unit: 'M messages/s',
    work: ({ count }) => count,
    // Number of the actor at which the token ends.
    result: ({ actors, count }) => count % actors,
  },
  {
    name: 'ForkJoin',
    full: { actors: 40_000, count: 40_000 },
    quick: { actors: 4000, count: 4000 },
    unit: 'k actors/s',
    work: ({ count }) => count,
    result: ({ count }) => count,
  },
  {
    name: 'Big',
    full: { actors: 120, count: 20_000 },
    quick: { actors: 120, count: 1000 },
    unit: 'M messages/s',
    work: ({ actors, count }) => 2 * actors * count,
    // Sum of the last random numbers of all actors.
    result: ({ actors, count }) => {
      let sum = 0;
      for (let each = 0; each < actors; each++) {
        let seed = each;
        for (let i = 0; i < count; i++) seed = draw(seed);
        sum += seed;
      }
      return sum;
    },
  },
];

/** Programs driven from another thread: every message is answered. */
export const TWO_THREADS: readonly PeerProgram[] = [
  {
    name: 'PingPong',
    full: { actors: 1, count: 10_000 },
    quick: { actors: 1, count: 2000 },
    unit: 'M messages/s',
    work: ({ count }) => 2 * count,
    result: ({ count }) => count,
  },
  {
    name: 'Counting',
    full: { actors: 1, count: 20_000 },
    quick: { actors: 1, count: 4000 },
    unit: 'M messages/s',
    work: ({ count }) => count,
    result: ({ count }) => count,
  },
];

export interface Peer {
  readonly name: string;
  readonly kind: 'turntable' | 'actor runtime' | 'JavaScript';
  readonly threads: 1 | 2;
  /** Argument of `install`, the file it creates and the sources of that; undefined for Turntable itself. */
  readonly installed?: { readonly by: string; readonly file: string; readonly sources: readonly string[] };
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Programs that the peer runs at a smaller size: rates are compared, not times. */
  readonly smaller?: Readonly<Record<string, { readonly size: Size; readonly reason: string }>>;
  /** Programs in which the peer's work is not the same: shown, not judged. */
  readonly differs?: Readonly<Record<string, string>>;
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

function javascript(name: string, threads: 1 | 2, more: Partial<Peer> = {}): Peer {
  return {
    name,
    kind: 'JavaScript',
    threads,
    installed: { by: 'js', file: `js/node_modules/${name}/package.json`, sources: ['js/package.json'] },
    command: [process.execPath, path(`js/${name}.ts`)],
    ...more,
  };
}

function turntable(name: string, threads: 1 | 2, main: string): Peer {
  const flags = ['-C', 'turntable-source', '--import', 'turntable/register'];
  return { name, kind: 'turntable', threads, command: [process.execPath, ...flags, path(main)] };
}

export const TURNTABLE = turntable('turntable', 1, 'turntable/main.ts');
/** Turntable driven from the main thread, with the actor on a worker. */
export const ACROSS = turntable('turntable', 2, 'turntable/across.ts');

const PEKKO = path('.installed/pekko');

export const PEERS: readonly Peer[] = [
  {
    name: 'erlang',
    kind: 'actor runtime',
    threads: 1,
    installed: { by: 'erlang', file: 'erlang/programs.beam', sources: ['erlang/programs.erl'] },
    // One scheduler, which sleeps when idle.
    command: [
      'erl',
      '+S',
      '1:1',
      '+sbwt',
      'none',
      '-noshell',
      '-pa',
      path('.installed/erlang'),
      '-run',
      'programs',
      'main',
    ],
    environment: { ERL_CRASH_DUMP: '/dev/null' },
  },
  {
    name: 'pekko',
    kind: 'actor runtime',
    threads: 1,
    installed: { by: 'pekko', file: 'pekko/classes', sources: ['pekko/pom.xml', 'pekko/Programs.java'] },
    command: ['java', '-XX:+UseSerialGC', '-Xmx4g', '-cp', `${PEKKO}/lib/*:${PEKKO}/classes`, 'Programs'],
  },
  {
    name: 'caf',
    kind: 'actor runtime',
    threads: 1,
    installed: { by: 'caf', file: 'caf/programs', sources: ['caf/programs.cpp'] },
    command: [path('.installed/caf/programs')],
  },
  {
    name: 'protoactor',
    kind: 'actor runtime',
    threads: 1,
    installed: { by: 'protoactor', file: 'protoactor/programs', sources: ['protoactor/go.mod', 'protoactor/main.go'] },
    command: [path('.installed/protoactor/programs')],
    environment: { GOMAXPROCS: '1' },
  },
  javascript('nact', 1),
  javascript('comedy', 1, {
    smaller: {
      ForkJoin: {
        size: { actors: 4000, count: 4000 },
        reason: 'takes minutes with 40,000 actors, because stopping one visits all',
      },
    },
  }),
  javascript('xstate', 1, {
    differs: {
      Counting: 'the counter is never busy, so each message is handled within send and none ever waits',
    },
  }),
  javascript('comlink', 2),
  javascript('piscina', 2),
];
