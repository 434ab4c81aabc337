// Who sends to whom, and how much: of the columns of all stretches, each of which knows who has sent what it is about. Where there are more actors than can be seen at once, those of one class are one.
import type { Focus } from './focus.ts';
import { groupBy } from './group-by.ts';
import { className, type Actor } from './lanes.ts';
import type { TimeLine } from './time-line.ts';

export interface Party {
  readonly name: string;
  /** Places in the list of actors. */
  readonly actors: readonly number[];
  readonly turns: number;
}

export interface Traffic {
  /** Places among the parties. */
  readonly from: number;
  readonly to: number;
  readonly messages: number;
  /** What promises came to that were answered or settled there. */
  readonly answers: number;
  /** Actors that the one has made of the other. */
  readonly spawns: number;
}

export interface System {
  readonly parties: readonly Party[];
  /** The most first. */
  readonly traffic: readonly Traffic[];
  /** Whether actors stand together. */
  readonly isGrouped: boolean;
}

/** Parties that are told apart. */
const MOST = 36;
const OTHERS = 'all others';
/** Kinds of stretches that are about an answer. */
const ANSWERS: ReadonlySet<string> = new Set(['fulfil', 'reject']);
const SPAWN = 'construct';

interface SystemWish {
  /** Parties that are told apart. */
  readonly most?: number;
  /** The piece that counts; all, unless it is said. */
  readonly focus?: Focus | undefined;
}

/** @param kinds ids, as stretches have their places */
export function systemOf(
  actors: readonly Actor[],
  timeLine: TimeLine,
  kinds: readonly string[],
  { most = MOST, focus }: SystemWish = {},
): System {
  const whole = actors.map(({ name, stretches }, actor) => ({ name, actors: [actor], turns: stretches }));
  const own = focus === undefined ? whole : takingPart(whole, timeLine, focus);
  const isGrouped = own.length > most;
  const parties = isGrouped ? grouped(own, most) : own;
  const partyOf = new Uint32Array(actors.length);
  parties.forEach((party, place) => {
    for (const actor of party.actors) partyOf[actor] = place;
  });
  const piece = focus ?? { from: 1, to: timeLine.count };
  return { parties, traffic: trafficOf(timeLine, piece, { partyOf, count: parties.length, kinds }), isGrouped };
}

/** Who has run in a piece, how often, and who has sent what ran there. */
function takingPart(whole: readonly Party[], timeLine: TimeLine, { from, to }: Focus): Party[] {
  const turns = new Uint32Array(whole.length);
  const has = new Uint8Array(whole.length);
  for (let order = from; order <= to; order++) {
    const actor = timeLine.actor(order) ?? 0;
    turns[actor] = (turns[actor] ?? 0) + 1;
    has[actor] = 1;
    const sender = timeLine.sender(order);
    if (sender !== undefined) has[timeLine.actor(sender) ?? 0] = 1;
  }
  return whole.flatMap((party, actor) => (has[actor] === 1 ? [{ ...party, turns: turns[actor] ?? 0 }] : []));
}

interface Counted {
  /** By actors. */
  readonly partyOf: Uint32Array;
  /** Parties. */
  readonly count: number;
  readonly kinds: readonly string[];
}

function trafficOf(
  timeLine: TimeLine,
  { from: first, to: last }: Focus,
  { partyOf, count, kinds }: Counted,
): Traffic[] {
  const messages = new Map<number, number>();
  const answers = new Map<number, number>();
  const spawns = new Map<number, number>();
  const counted = kinds.map((id) => (ANSWERS.has(id) ? answers : id === SPAWN ? spawns : messages));
  for (let order = first; order <= last; order++) {
    const sender = timeLine.sender(order);
    if (sender === undefined) continue;
    const from = partyOf[timeLine.actor(sender) ?? 0] ?? 0;
    const to = partyOf[timeLine.actor(order) ?? 0] ?? 0;
    const key = from * count + to;
    const those = counted[timeLine.kind(order)] ?? messages;
    those.set(key, (those.get(key) ?? 0) + 1);
  }
  return [...new Set([...messages.keys(), ...answers.keys(), ...spawns.keys()])]
    .map((key) => ({
      from: Math.floor(key / count),
      to: key % count,
      messages: messages.get(key) ?? 0,
      answers: answers.get(key) ?? 0,
      spawns: spawns.get(key) ?? 0,
    }))
    .toSorted((one, other) => amountOf(other) - amountOf(one));
}

export function amountOf({ messages, answers, spawns }: Traffic): number {
  return messages + answers + spawns;
}

/** By what they are called without their numbers; those with few turns together, if there are still too many. */
function grouped(own: readonly Party[], most: number): Party[] {
  const classes = [...groupBy(own, ({ name }) => className(name))];
  const all = classes.map(([name, those]) => together(name, those));
  if (all.length <= most) return all.map(named);
  const kept = new Set(all.toSorted((one, other) => other.turns - one.turns).slice(0, most - 1));
  const others = all.filter((each) => !kept.has(each));
  return [...all.filter((each) => kept.has(each)), together(OTHERS, others)].map(named);
}

function together(name: string, parties: readonly Party[]): Party {
  return {
    name,
    actors: parties.flatMap(({ actors }) => actors),
    turns: parties.reduce((sum, { turns }) => sum + turns, 0),
  };
}

function named(party: Party): Party {
  const { name, actors } = party;
  return actors.length === 1 ? party : { ...party, name: `${name} (${actors.length.toLocaleString('en-US')})` };
}

/** The next stretch behind a place that is about something which one has sent to the other. @param from undefined for whatever it is about */
export function nextBetween(
  timeLine: TimeLine,
  from: Party | undefined,
  to: Party,
  behind: number,
): number | undefined {
  const senders = from && new Set(from.actors);
  let nearest: number | undefined;
  for (const actor of to.actors) {
    const found = timeLine.lane(actor).find((order) => {
      if (order <= behind) return false;
      const sender = timeLine.sender(order);
      return senders === undefined || (sender !== undefined && senders.has(timeLine.actor(sender) ?? 0));
    });
    if (found !== undefined) nearest = Math.min(found, nearest ?? Infinity);
  }
  return nearest;
}
