import { describe, expect, it } from 'vitest';
import { Places, type WorkerLoad } from '../src/actors/placement.ts';

function chosen(places: Places, count: number, ...placement: Parameters<Places['choose']>): number[] {
  return Array.from({ length: count }, () => places.choose(...placement));
}

describe('an actor that is told nothing', () => {
  it('lives on the worker with the fewest that were placed from here, the main thread left alone', () => {
    const places = new Places(0, 3, 'least-loaded');
    expect(chosen(places, 6)).toEqual([1, 2, 3, 1, 2, 3]);
    places.choose(2);
    places.choose('main');
    expect(chosen(places, 3)).toEqual([1, 3, 1]);
  });

  it('lives where the program has said that actors live', () => {
    expect(chosen(new Places(2, 3, 'same'), 2)).toEqual([2, 2]);
    expect(chosen(new Places(0, 3, 'main'), 2)).toEqual([0, 0]);
    expect(chosen(new Places(1, 3, 3), 2)).toEqual([3, 3]);
  });

  it('lives on the main thread if there is no other', () => {
    expect(chosen(new Places(0, 0, 'least-loaded'), 3)).toEqual([0, 0, 0]);
  });

  it('lives where it would have lived had its worker not gone on from a snapshot', () => {
    const [places, again] = [new Places(0, 3, 'least-loaded'), new Places(0, 3, 'least-loaded')];
    chosen(places, 4);
    places.lost(2, false);
    again.write(places.read());
    expect(chosen(again, 5)).toEqual(chosen(places, 5));
  });

  it('does not live on a worker that has ended', () => {
    const places = new Places(0, 2, 'least-loaded');
    places.lost(1, false);
    expect(chosen(places, 3)).toEqual([2, 2, 2]);
    places.lost(2, false);
    expect(chosen(places, 2)).toEqual([0, 0]);
  });

  it('may live on the worker in the place of one that has ended, which is empty', () => {
    const places = new Places(0, 2, 'least-loaded');
    chosen(places, 4);
    places.lost(2, true);
    expect(chosen(places, 3)).toEqual([2, 2, 1]);
  });
});

describe('an actor that is told where', () => {
  it('lives there', () => {
    const places = new Places(2, 3, 'least-loaded');
    expect([places.choose('same'), places.choose('main'), places.choose(0), places.choose(3)]).toEqual([2, 0, 0, 3]);
  });

  it('lives where a function says, which knows how many were placed where', () => {
    const places = new Places(0, 3, 'least-loaded');
    places.choose(2);
    places.lost(3, false);
    const seen: (readonly WorkerLoad[])[] = [];
    const most = (loads: readonly WorkerLoad[]): number => {
      seen.push(loads.map((each) => ({ ...each })));
      return loads.reduce((a, b) => (b.actors > a.actors ? b : a)).worker;
    };
    expect(chosen(places, 2, most)).toEqual([2, 2]);
    expect(seen).toEqual(
      [1, 2].map((actors) => [
        { worker: 1, actors: 0 },
        { worker: 2, actors },
      ]),
    );
  });

  it('cannot live where there is nothing', () => {
    const places = new Places(0, 2, 'least-loaded');
    for (const nowhere of [-1, 3, 1.5, NaN, () => 7, 'mian' as 'main'])
      expect(() => places.choose(nowhere)).toThrow(
        /^there is no worker .*; there are the main thread, 0, and workers 1 to 2$/,
      );
    places.lost(2, false);
    expect(() => places.choose(2)).toThrow('worker 2 has ended');
    expect(chosen(places, 1)).toEqual([1]);
  });
});
