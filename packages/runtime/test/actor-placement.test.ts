import { describe, expect, it } from 'vitest';
import { ActorPlacement, type WorkerLoad } from '../src/actors/actor-placement.ts';

function chooseMany(
  actorPlacement: ActorPlacement,
  count: number,
  ...placement: Parameters<ActorPlacement['choose']>
): number[] {
  return Array.from({ length: count }, () => actorPlacement.choose(...placement));
}

describe('actor without a placement', () => {
  it('is placed on the worker with the fewest actors from this one, never on the main thread', () => {
    const actorPlacement = new ActorPlacement(0, 3, 'least-loaded');
    expect(chooseMany(actorPlacement, 6)).toEqual([1, 2, 3, 1, 2, 3]);
    actorPlacement.choose(2);
    actorPlacement.choose('main');
    expect(chooseMany(actorPlacement, 3)).toEqual([1, 3, 1]);
  });

  it('is placed by the default of the program', () => {
    expect(chooseMany(new ActorPlacement(2, 3, 'same'), 2)).toEqual([2, 2]);
    expect(chooseMany(new ActorPlacement(0, 3, 'main'), 2)).toEqual([0, 0]);
    expect(chooseMany(new ActorPlacement(1, 3, 3), 2)).toEqual([3, 3]);
  });

  it('is placed on the main thread if there is no worker', () => {
    expect(chooseMany(new ActorPlacement(0, 0, 'least-loaded'), 3)).toEqual([0, 0, 0]);
  });

  it('is placed as without a restore from a snapshot', () => {
    const [actorPlacement, restored] = [
      new ActorPlacement(0, 3, 'least-loaded'),
      new ActorPlacement(0, 3, 'least-loaded'),
    ];
    chooseMany(actorPlacement, 4);
    actorPlacement.workerLost(2, false);
    restored.setState(actorPlacement.getState());
    expect(chooseMany(restored, 5)).toEqual(chooseMany(actorPlacement, 5));
  });

  it('is not placed on a lost worker', () => {
    const actorPlacement = new ActorPlacement(0, 2, 'least-loaded');
    actorPlacement.workerLost(1, false);
    expect(chooseMany(actorPlacement, 3)).toEqual([2, 2, 2]);
    actorPlacement.workerLost(2, false);
    expect(chooseMany(actorPlacement, 2)).toEqual([0, 0]);
  });

  it('can be placed on a successor, which starts empty', () => {
    const actorPlacement = new ActorPlacement(0, 2, 'least-loaded');
    chooseMany(actorPlacement, 4);
    actorPlacement.workerLost(2, true);
    expect(chooseMany(actorPlacement, 3)).toEqual([2, 2, 1]);
  });
});

describe('actor with a placement', () => {
  it('is placed on the given worker', () => {
    const actorPlacement = new ActorPlacement(2, 3, 'least-loaded');
    expect([
      actorPlacement.choose('same'),
      actorPlacement.choose('main'),
      actorPlacement.choose(0),
      actorPlacement.choose(3),
    ]).toEqual([2, 0, 0, 3]);
  });

  it('is placed by a function of the numbers of placed actors', () => {
    const actorPlacement = new ActorPlacement(0, 3, 'least-loaded');
    actorPlacement.choose(2);
    actorPlacement.workerLost(3, false);
    const seen: (readonly WorkerLoad[])[] = [];
    const most = (loads: readonly WorkerLoad[]): number => {
      seen.push(loads.map((each) => ({ ...each })));
      return loads.reduce((a, b) => (b.actors > a.actors ? b : a)).worker;
    };
    expect(chooseMany(actorPlacement, 2, most)).toEqual([2, 2]);
    expect(seen).toEqual(
      [1, 2].map((actors) => [
        { worker: 1, actors: 0 },
        { worker: 2, actors },
      ]),
    );
  });

  it('is refused on a worker that does not exist', () => {
    const actorPlacement = new ActorPlacement(0, 2, 'least-loaded');
    for (const nowhere of [-1, 3, 1.5, NaN, () => 7, 'mian' as 'main'])
      expect(() => actorPlacement.choose(nowhere)).toThrow(
        /^there is no worker .*; choose 0, the main thread, or a worker from 1 to 2$/,
      );
    actorPlacement.workerLost(2, false);
    expect(() => actorPlacement.choose(2)).toThrow('worker 2 has ended');
    expect(chooseMany(actorPlacement, 1)).toEqual([1]);
  });
});
