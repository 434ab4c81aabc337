// The actors of a worker, as observers see them.
import { ROOT_CONTEXT } from '@turntable/core';
import { expect, it } from 'vitest';
import { ActorCell } from '../src/actors/actor-cell.ts';
import { Census, CENSUS_TURN } from '../src/actors/census.ts';

it('lists an actor once from its creation on, even if the worker was restored before that creation', () => {
  const [main, made, coming] = [0, 1, 2].map((id) => new ActorCell(id, 0, `actor ${id}`, ROOT_CONTEXT)) as [
    ActorCell,
    ActorCell,
    ActorCell,
  ];
  made.root = {};
  const census = new Census();
  census.setState({ created: 1 });
  census.restore([main, made, coming]);
  expect(census.actors()).toEqual([made]);
  coming.root = {};
  census.actorCreated(coming);
  expect(census.actors()).toEqual([made, coming]);
  main.turns = CENSUS_TURN;
  census.actorMatured(main);
  census.actorMatured(made);
  expect(census.actors()).toEqual([main, made, coming]);
  expect(census.actors().map(({ censusTurn }) => censusTurn)).toEqual([CENSUS_TURN, 0, 0]);
});
