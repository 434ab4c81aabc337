// What holds at any moment of the whole program, and what it comes to in the end.
import { internals } from '@turntable/core';
import { Actor } from '../../../packages/runtime/src/actors/actor.ts';
import { FarRef } from '../../../packages/runtime/src/references/far-ref.ts';
import { Forward, Later } from '../../../packages/runtime/src/messaging/answer/outcomes.ts';
import { keyFor } from '../../../packages/runtime/src/references/references.ts';
import { Debts } from '../../../packages/runtime/src/snapshot/debts.ts';
import { runtimeObjects } from '../../../packages/runtime/src/snapshot/objects.ts';
import type { House, Seat } from './house.ts';
import type { Plan } from './plan.ts';

/** The root of an actor, as its class has it. */
interface Account {
  readonly number: number | string;
  readonly balance: number;
  readonly taken: number;
  readonly tokens: readonly { readonly token: number }[];
  readonly had: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

function livingOn({ actors }: Seat): Actor[] {
  return [...actors]
    .filter(({ root, failure }) => root !== undefined && failure === undefined)
    .toSorted((a, b) => a.id - b.id);
}

/** Of all that the actors of a worker are, and of what they share. */
export function hashOf(seat: Seat): string {
  const { room, scheduler } = seat;
  const actors = livingOn(seat).map((actor) => {
    const { id, name, root, exports, turns, mark, limit } = actor;
    return { id, name, root, exports, turns, mark, limit };
  });
  const debts = new Debts(scheduler.index, () => true);
  return room.hash([actors, room.exports], [runtimeObjects({ debts })]);
}

/** Of each of them by itself. */
export function hashesOf(seat: Seat): Map<number, string> {
  const debts = new Debts(seat.scheduler.index, () => true);
  return new Map(
    livingOn(seat).map(({ id, name, root, exports, turns }) => [
      id,
      seat.room.hash({ id, name, root, exports, turns }, [runtimeObjects({ debts })]),
    ]),
  );
}

interface Found {
  money: number;
  readonly tokens: number[];
}

/** All money and tokens that are had, or on their way: in queues, in mailboxes, to actors not yet born, to what an eventual will be. */
function foundIn(house: House): Found {
  const found: Found = { money: 0, tokens: [] };
  const met = new Set<unknown>();
  const queue: unknown[] = [];
  const meet = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || met.has(value)) return;
    met.add(value);
    queue.push(value);
  };
  for (const seat of house.seats) {
    const { room, scheduler } = seat;
    const meetParts = (parts: readonly unknown[]): void => parts.forEach(meet);
    meetParts(livingOn(seat).map(({ root }) => root));
    meetParts([scheduler.read(), room.timers, internals.readQueues(room.realm)]);
    for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
      if (value instanceof Actor || FarRef.has(value)) continue;
      if (value instanceof Forward) continue;
      if (value instanceof Later) {
        meetParts(value.args);
        continue;
      }
      if (ArrayBuffer.isView(value)) continue;
      const { money, balance, token } = value as Record<string, unknown>;
      if (typeof money === 'number') found.money += money;
      if (typeof balance === 'number') found.money += balance;
      if (typeof token === 'number') found.tokens.push(token);
      const state = internals.read(room.realm, value);
      if (state !== undefined) meetParts(Object.values(state.fields));
      if (value instanceof Map) meetParts([...value].flat());
      if (value instanceof Set) meetParts([...value]);
      meetParts(Object.values(value as object));
    }
  }
  return found;
}

/** What does not hold now, whatever is under way. */
export function wrongNow(house: House, plan: Plan): string[] {
  const wrong: string[] = [];
  if (house.seats.some(({ room }) => room.exports['result'] !== undefined)) {
    const { money, tokens } = foundIn(house);
    const all = plan.accounts.reduce((sum, account) => sum + account.money, 0);
    if (money !== all) wrong.push(`there is ${money} of ${all}`);
    const expected = plan.accounts.flatMap((account) => account.tokens).toSorted((a, b) => a - b);
    const there = tokens.toSorted((a, b) => a - b);
    if (there.join() !== expected.join()) wrong.push(`tokens ${there.join()} of ${expected.join()}`);
  }
  for (const seat of house.seats) {
    const taken = livingOn(seat).reduce((sum, { root }) => sum + (root as Account).taken, 0);
    const ledger = seat.room.exports['ledger'] as { taken: number };
    if (taken !== ledger.taken)
      wrong.push(`accounts of worker ${seat.scheduler.index} have taken ${taken}, their ledger says ${ledger.taken}`);
  }
  return wrong;
}

/** When nothing is under way: what a worker has given to another is what that one holds of it, reference by reference. */
export function wrongReferences({ seats }: House): string[] {
  const given = new Map<string, number>();
  const held = new Map<string, number>();
  for (const { scheduler } of seats) {
    const here = scheduler.index;
    const { references } = scheduler.neighbours;
    const { pins, inVain, strangers } = references.read();
    const place = references.placeOf(here);
    const isLost = (actor: Actor): boolean => actor.worker !== here && scheduler.neighbours.to(actor).hasLost(actor);
    for (const [worker, ref, count] of pins) {
      // Those that are supervised keep themselves.
      if (worker === here || isLost(FarRef.actorOf(ref))) continue;
      given.set(`${place} ${worker} ${keyFor(FarRef.actorOf(ref).id, FarRef.numberOf(ref))}`, count);
    }
    for (const [worker, key, count] of inVain) given.set(`${place} ${worker} ${key}`, count);
    for (const { actor, held: all } of strangers)
      for (const { number, counts } of isLost(actor) ? [] : all)
        for (const [from, count] of counts)
          // What those have given who are lost is nothing to those in their places.
          if (references.isNow(from)) held.set(`${from} ${here} ${keyFor(actor.id, number)}`, count);
  }
  const keys = [...new Set([...given.keys(), ...held.keys()])];
  return keys.flatMap((key) => {
    const [from, to, what] = key.split(' ');
    const [gave, has] = [given.get(key) ?? 0, held.get(key) ?? 0];
    if (gave === has) return [];
    return [`worker ${from} gave worker ${to} reference ${what} ${gave} times, and it has come ${has} times`];
  });
}

/** What it has come to: the same in every order. */
export function outcomeOf(house: House): { outcome: string; wrong: string[] } {
  const wrong = wrongReferences(house);
  const lines: string[] = [];
  for (const seat of house.seats) {
    const { scheduler, reports, room } = seat;
    wrong.push(...reports.map((report) => `reported: ${report}`));
    if (!scheduler.isIdle) wrong.push(`worker ${scheduler.index} is not idle`);
    if (room.exports['result'] !== undefined) lines.push(`result ${String(room.exports['result'])}`);
    for (const { root } of livingOn(seat)) {
      const { number, balance, taken, had, counts, wrong: own } = root as Account;
      wrong.push(...own.map((line) => `account ${number}: ${line}`));
      const pairs = Object.entries(had)
        .map(([key, count]) => `${key} ${count}`)
        .toSorted();
      lines.push(`${number}: ${balance}, ${taken} taken (${pairs.join(', ')}) ${JSON.stringify(counts)}`);
    }
  }
  return { outcome: lines.toSorted().join('\n'), wrong };
}
