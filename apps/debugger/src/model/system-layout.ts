// Where the parties of a system stand: from left to right as messages go from those that begin, and in each column near to those that send to them. A function of the system alone.
import type { System, Traffic } from './system.ts';

export interface Placed {
  readonly x: number;
  readonly y: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The upper left corners, as parties have their places. */
  readonly places: readonly Placed[];
  /** As SVG has paths, as the traffic has its places, and where a number beside each stands. */
  readonly lines: readonly { readonly path: string; readonly label: Placed }[];
}

/** Of a party. */
export const WIDTH = 152;
export const HEIGHT = 40;
const APART_X = 96;
const APART_Y = 20;
const MARGIN = 16;

export function layoutOf({ parties, traffic }: System): Layout {
  const columns = columnsOf(parties.length, traffic);
  const rows = Math.max(1, ...columns.map(({ length }) => length));
  const height = 2 * MARGIN + rows * (HEIGHT + APART_Y) - APART_Y;
  const places: Placed[] = parties.map(() => ({ x: 0, y: 0 }));
  columns.forEach((those, column) => {
    const its = those.length * (HEIGHT + APART_Y) - APART_Y;
    those.forEach((party, row) => {
      places[party] = {
        x: MARGIN + column * (WIDTH + APART_X),
        y: (height - its) / 2 + row * (HEIGHT + APART_Y),
      };
    });
  });
  return {
    // Behind the last column lines turn around.
    width: 2 * MARGIN + Math.max(1, columns.length) * (WIDTH + APART_X),
    height,
    places,
    lines: traffic.map(({ from, to }) => lineBetween(places[from], places[to])),
  };
}

/** By how many messages lie between them and who begins; each in the order of those that send to them. */
function columnsOf(count: number, traffic: readonly Traffic[]): number[][] {
  const depths = depthsOf(count, traffic);
  const columns: number[][] = [];
  depths.forEach((depth, party) => (columns[depth] ??= []).push(party));
  for (const [column, those] of columns.entries()) {
    const before = columns[column - 1];
    if (before === undefined) continue;
    const nearTo = (party: number): number => {
      const rows = traffic.flatMap(({ from, to }) =>
        to === party && before.includes(from) ? [before.indexOf(from)] : [],
      );
      return rows.length === 0 ? Infinity : rows.reduce((sum, row) => sum + row, 0) / rows.length;
    };
    const near = new Map(those.map((party) => [party, nearTo(party)]));
    those.sort((one, other) => (near.get(one) ?? 0) - (near.get(other) ?? 0) || one - other);
  }
  return columns;
}

function depthsOf(count: number, traffic: readonly Traffic[]): number[] {
  const depths = Array.from<number | undefined>({ length: count });
  const sent = traffic.filter(({ messages }) => messages > 0);
  const spawned = traffic.filter(({ spawns }) => spawns > 0);
  // The parties stand in the order in which they began: whoever makes another one, before it.
  for (let party = 0; party < count; party++) {
    if (depths[party] !== undefined) continue;
    const maker = spawned.find(({ from, to }) => to === party && from !== party && depths[from] !== undefined)?.from;
    const first = maker === undefined ? 0 : (depths[maker] ?? 0) + 1;
    depths[party] = first;
    for (let those = [party], depth = first + 1; those.length > 0; depth++) {
      const next = new Set(
        sent.flatMap(({ from, to }) => (those.includes(from) && depths[to] === undefined ? [to] : [])),
      );
      for (const each of next) depths[each] = depth;
      those = [...next];
    }
  }
  return depths.map((depth) => depth ?? 0);
}

function lineBetween(from: Placed = { x: 0, y: 0 }, to: Placed = { x: 0, y: 0 }): Layout['lines'][number] {
  const [fromY, toY] = [from.y + HEIGHT / 2, to.y + HEIGHT / 2];
  if (from.x < to.x) {
    const [begin, end] = [from.x + WIDTH, to.x];
    const reach = Math.max(APART_X / 2, (end - begin) / 2);
    return curve([begin, fromY - 4], [begin + reach, fromY - 4], [end - reach, toY - 4], [end, toY - 4]);
  }
  if (from.x > to.x) {
    const [begin, end] = [from.x, to.x + WIDTH];
    const reach = Math.max(APART_X / 2, (begin - end) / 2);
    return curve([begin, fromY + 6], [begin - reach, fromY + 6], [end + reach, toY + 6], [end, toY + 6]);
  }
  // In one column, and to oneself: around the right side.
  const right = from.x + WIDTH;
  const reach = APART_X / 2 + Math.min(APART_X / 3, Math.abs(fromY - toY) / 8);
  const [up, down] = from.y === to.y ? [-8, 8] : [0, 0];
  return curve([right, fromY + up], [right + reach, fromY + up], [right + reach, toY + down], [right, toY + down]);
}

type Point = readonly [x: number, y: number];

function curve(begin: Point, one: Point, other: Point, end: Point): Layout['lines'][number] {
  // Near to the party on the right: lines come apart there.
  const [t, u] = begin[0] <= end[0] ? [0.75, 0.25] : [0.25, 0.75];
  const at = (i: 0 | 1): number =>
    u ** 3 * begin[i] + 3 * u * u * t * one[i] + 3 * u * t * t * other[i] + t ** 3 * end[i];
  return { path: `M${begin} C${one} ${other} ${end}`, label: { x: at(0), y: at(1) } };
}
