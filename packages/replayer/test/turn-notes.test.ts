// Tests the notes of the turns of requested actors.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createNameMatcher, createTurnNotes, methodLocation, readTurnNotes } from '../src/replay/turn-notes.ts';

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

class Cart {
  add(): void {}
}
const REPLY = {};
/** Locates methods by their name, and suspended functions by these frames. */
const locatorOf = (...frames: string[]) => ({
  locationOf: (fn: { readonly name: string }) => `file:///cart.ts:${fn.name.length}`,
  awaitingFrames: (eventual: object) => (eventual === REPLY ? frames : []),
});

type Notes = ReturnType<typeof createTurnNotes>;
const asCall = (call: unknown): never => call as never;
const actor = (name: string): never => ({ name }) as never;

describe('a note', () => {
  function notesOf(note: (notes: Notes) => void, frames: string[] = [], actors = ['*']) {
    const path = directory();
    note(createTurnNotes({ actors, directory: path }, { worker: 1, epoch: 2 }, locatorOf(...frames) as never));
    return readTurnNotes(path);
  }

  it('has the message, its arguments, its sender and the location of the method', () => {
    const found = notesOf((notes) => {
      notes.turnInput?.(
        new Cart() as never,
        ['tea', { deep: { deeper: { deepest: { most: { more: 1 } } } } }] as never,
        undefined,
      );
      notes.turnStarted?.(7, actor('Cart#1'), asCall('add'), actor('Shop#1'));
      // The input of a turn does not count for the next one.
      notes.turnStarted?.(8, actor('Cart#1'), asCall('add'), undefined);
    });
    expect(found).toEqual([
      {
        worker: 1,
        epoch: 2,
        turn: 7,
        actor: 'Cart#1',
        kind: 'call',
        method: 'add',
        from: 'Shop#1',
        values: ["'tea'", '{ deep: { deeper: { deepest: { most: [Object] } } } }'],
        location: 'file:///cart.ts:3',
      },
      { worker: 1, epoch: 2, turn: 8, actor: 'Cart#1', kind: 'call', method: 'add', values: [] },
    ]);
  });

  it.each([
    ['async pay (file:///cart.ts:3:4)', { resumedFunction: 'pay', location: 'file:///cart.ts:3:4' }],
    ['pay (/cart.ts:3:4)', { resumedFunction: 'pay', location: '/cart.ts:3:4' }],
    ['async file:///cart.ts:3:4', { location: 'file:///cart.ts:3:4' }],
    ['async pay (node:events:3:4)', {}],
  ])('of an answer has the function that resumes: %s', (frame, expected) => {
    for (const kind of ['fulfil', 'reject']) {
      const [note] = notesOf(
        (notes) => {
          notes.turnInput?.(undefined, [1] as never, REPLY as never);
          notes.turnStarted?.(1, actor('Cart#1'), asCall({ kind }), undefined);
        },
        [frame, 'async other (file:///cart.ts:9:9)'],
      );
      expect(note).toEqual({ worker: 1, epoch: 2, turn: 1, actor: 'Cart#1', kind, values: ['1'], ...expected });
    }
  });

  it('of other turns has no function that resumes', () => {
    const frames = ['async pay (file:///cart.ts:3:4)'];
    const [construct, answer] = notesOf((notes) => {
      notes.turnInput?.(undefined, [] as never, REPLY as never);
      notes.turnStarted?.(1, actor('Cart#1'), asCall({ kind: 'construct' }), undefined);
      notes.turnInput?.(undefined, [] as never, null as never);
      notes.turnStarted?.(2, actor('Cart#1'), asCall({ kind: 'fulfil' }), undefined);
    }, frames);
    expect(construct).toEqual({ worker: 1, epoch: 2, turn: 1, actor: 'Cart#1', kind: 'construct', values: [] });
    expect(answer).toEqual({ worker: 1, epoch: 2, turn: 2, actor: 'Cart#1', kind: 'fulfil', values: [] });
  });

  it('exists only for the requested actors', () => {
    const found = notesOf(
      (notes) => {
        for (const [i, name] of ['Cart#1', 'Shop#1', 'Cart#2'].entries())
          notes.turnStarted?.(i, actor(name), asCall('add'), undefined);
      },
      [],
      ['Cart#*'],
    );
    expect(found.map(({ actor: name }) => name)).toEqual(['Cart#1', 'Cart#2']);
  });
});

it('notes of all threads are read by worker, epoch and turn', () => {
  const path = directory();
  for (const [worker, epoch, turns] of [
    [10, 0, [1]],
    [2, 1, [2, 1]],
    [2, 0, [3]],
    [0, 0, [5]],
  ] as const) {
    const notes = createTurnNotes({ actors: ['*'], directory: path }, { worker, epoch }, locatorOf() as never);
    for (const turn of turns) notes.turnStarted?.(turn, actor('Cart#1'), asCall('add'), undefined);
  }
  expect(readTurnNotes(path).map(({ worker, epoch, turn }) => [worker, epoch, turn])).toEqual([
    [0, 0, 5],
    [2, 0, 3],
    [2, 1, 1],
    [2, 1, 2],
    [10, 0, 1],
  ]);
});

it('a name matches as a whole, and * matches anything', () => {
  const matched = (...patterns: string[]): string[] =>
    ['Cart#1', 'Cart#12', 'Shop.a', 'Shopxa', 'a\nb', ''].filter(createNameMatcher(patterns));
  expect(matched('Cart#1')).toEqual(['Cart#1']);
  expect(matched('Cart#*')).toEqual(['Cart#1', 'Cart#12']);
  expect(matched('Shop.a', '*2')).toEqual(['Cart#12', 'Shop.a']);
  expect(matched('a*b')).toEqual(['a\nb']);
  expect(matched('*')).toHaveLength(6);
  expect(matched('art')).toEqual([]);
  expect(matched()).toEqual(['']);
});

it('the location of a method is that of the nearest class that defines it, and no code of the program runs', () => {
  const locator = locatorOf() as never;
  class Base {
    open(): void {}
    get value(): never {
      throw new Error('a getter ran');
    }
  }
  class Derived extends Base {
    close(): void {}
  }
  expect(methodLocation(new Derived(), 'close', locator)).toEqual({ location: 'file:///cart.ts:5' });
  expect(methodLocation(new Derived(), 'open', locator)).toEqual({ location: 'file:///cart.ts:4' });
  expect(methodLocation(Object.assign(new Derived(), { open: function own() {} }), 'open', locator)).toEqual({
    location: 'file:///cart.ts:3',
  });
  expect(methodLocation(new Derived(), 'value', locator)).toEqual({});
  expect(methodLocation(new Derived(), 'missing', locator)).toEqual({});
  expect(methodLocation(undefined, 'open', locator)).toEqual({});
  expect(methodLocation(new Proxy(new Derived(), {}), 'open', locator)).toEqual({});
});
