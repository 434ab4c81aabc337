// Actors on several workers that send what a random plan says, under random interleavings: what arrives, in which order, and that a worker does the
// same again if it is given the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ANY,
  begin,
  classes,
  countOf,
  nodes,
  ORDERED,
  outOfOrder,
  randomDeath,
  randomRun,
  run,
  sum,
  type Node,
} from './letters.ts';
import { again, runAlone, written } from './world.ts';

describe('whatever actors send each other, wherever they live, whoever runs next', () => {
  it('arrives once, in the order in which one sends to another, large or small', () => {
    fc.assert(
      fc.property(randomRun(ORDERED), fc.nat(65535), fc.boolean(), (random, seed, loads) => {
        const { world, logs } = run(random, 3, seed, { size: 2 ** 12, loads });
        expect(outOfOrder(logs)).toEqual([]);
        const received = logs.flat(2).filter((line) => !line.startsWith('answer')).length;
        expect(received).toBe(countOf(random.steps) + random.steps.length);
        const traffic = world.workers.map(({ scheduler }) => scheduler.neighbours.traffic);
        expect(sum(traffic.map(({ sent }) => sent))).toBe(sum(traffic.map(({ taken }) => taken)));
        expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
        expect(world.workers.flatMap(({ reports }) => reports)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('is the same again for a worker that is given the same after the same turns', () => {
    fc.assert(
      fc.property(randomRun(ANY), fc.nat(65535), fc.boolean(), randomDeath, (random, seed, loads, death) => {
        const options = { size: 2 ** 18, loads };
        const { world, logs } = run(random, 3, seed, options, death);
        world.workers.forEach(({ scheduler, reports, isAlive }, index) => {
          // Nobody knows what it would have done.
          if (!isAlive) return;
          nodes.set(index, []);
          const { worker, rings } = again(world, index, classes, options);
          if (index === 0) begin(worker, random);
          runAlone(worker);
          expect((nodes.get(index) as Node[]).map(({ log }) => log)).toEqual(logs[index]);
          expect(worker.reports).toEqual(reports);
          expect(worker.scheduler.turns).toBe(scheduler.turns);
          world.workers.forEach((_, other) => {
            if (other !== index)
              expect(written(rings.ring(index, other))).toEqual(written(world.rings.ring(index, other)));
          });
        });
      }),
      { numRuns: 200 },
    );
  });
});
