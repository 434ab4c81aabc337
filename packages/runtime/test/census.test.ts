// Which actors a worker has, for who asks.
import { ROOT_CONTEXT } from '@turntable/core';
import { expect, it } from 'vitest';
import { Actor } from '../src/actors/actor.ts';
import { Census, KNOWN_TURN } from '../src/actors/census.ts';

it('knows an actor once, from when it is made on, though its worker goes on from where it was still to be made', () => {
  const [main, made, coming] = [0, 1, 2].map((id) => new Actor(id, 0, `actor ${id}`, ROOT_CONTEXT)) as [
    Actor,
    Actor,
    Actor,
  ];
  made.root = {};
  const census = new Census();
  census.write({ born: 1 });
  census.again([main, made, coming]);
  expect(census.known()).toEqual([made]);
  coming.root = {};
  census.born(coming);
  expect(census.known()).toEqual([made, coming]);
  main.turns = KNOWN_TURN;
  census.grown(main);
  census.grown(made);
  expect(census.known()).toEqual([main, made, coming]);
  expect(census.known().map(({ knownFrom }) => knownFrom)).toEqual([KNOWN_TURN, 0, 0]);
});
