// `spawn` for programs of this directory. If `random` stands among the arguments, it is drawn where each actor lives.

import { spawn as spawnAsUsual, spawnWith } from 'turntable';

const isRandom = process.argv.includes('random');
const anywhere = (loads: readonly unknown[]): number => Math.floor(Math.random() * (loads.length + 1));

export const spawn: typeof spawnAsUsual = isRandom
  ? (((type: never, ...args: never) =>
      (spawnWith as (...all: unknown[]) => unknown)({ on: anywhere }, type, ...(args as unknown[]))) as never)
  : spawnAsUsual;
