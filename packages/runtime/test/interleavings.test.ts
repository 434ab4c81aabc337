// Actors on several workers that send by a random plan, under random interleavings: which messages arrive, in which
// order, and that a worker repeats its run when it replays its trace.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ANY,
  startRun,
  classes,
  countOf,
  nodes,
  ORDERED,
  outOfOrder,
  randomDeath,
  randomRun,
  run,
  sum,
  type LetterActor,
} from './random-actors.ts';
import { replayWorker, runAlone, ringContents } from './test-world.ts';

describe('messages under random interleavings', () => {
  it('arrive once, in send order for each pair of actors, large or small', () => {
    fc.assert(
      fc.property(randomRun(ORDERED), fc.nat(65535), fc.boolean(), (random, seed, loads) => {
        const { world, logs } = run(random, 3, seed, { size: 2 ** 12, loads });
        expect(outOfOrder(logs)).toEqual([]);
        const received = logs.flat(2).filter((line) => !line.startsWith('answer')).length;
        expect(received).toBe(countOf(random.steps) + random.steps.length);
        const traffic = world.workers.map(({ scheduler }) => scheduler.workerLinks.traffic);
        expect(sum(traffic.map(({ sent }) => sent))).toBe(sum(traffic.map(({ taken }) => taken)));
        expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
        expect(world.workers.flatMap(({ reports }) => reports)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it("are the same in a replay of a worker's trace, with its calls, answers and spawns", () => {
    fc.assert(
      fc.property(
        randomRun(ANY),
        fc.nat(65535),
        fc.boolean(),
        randomDeath,
        fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 3 }),
        (random, seed, loads, death, triggers) => {
          const options = { size: 2 ** 18, loads };
          let phase = 0;
          const { world, logs } = run(random, 3, seed, options, death, ({ workers }, step) => {
            if (triggers.includes(step)) workers[0]!.scheduler.startPhase(++phase);
          });
          world.workers.forEach(({ scheduler, reports, isAlive, trace }, index) => {
            // The rest of its run is unknown.
            if (!isAlive) return;
            expect(trace.committed).toBe(trace.events.length);
            nodes.set(index, []);
            const { worker, rings } = replayWorker(world, index, classes, options);
            if (index === 0) startRun(worker, random);
            runAlone(worker);
            expect(worker.replayTape?.checkEnd()).toBeUndefined();
            expect(worker.halts).toEqual([
              {
                reason: 'ended',
                events: trace.events.length,
                turns: scheduler.turns,
                messages: scheduler.workerLinks.messageIngest.taken,
                isBetweenTurns: true,
              },
            ]);
            expect((nodes.get(index) as LetterActor[]).map(({ log }) => log)).toEqual(logs[index]);
            expect(worker.reports).toEqual(reports);
            expect(worker.scheduler.phase).toBe(scheduler.phase);
            expect(worker.realm.jobs.steps).toBe(world.workers[index]!.realm.jobs.steps);
            world.workers.forEach((_, other) => {
              if (other !== index)
                expect(ringContents(rings.ring(index, other))).toEqual(ringContents(world.rings.ring(index, other)));
            });
          });
        },
      ),
      { numRuns: 200 },
    );
  });
});
