// Who has written something last, where an engine stands already: its process runs the stretch once more, and those before of which it can go back into, as long as that may say who. Nothing is begun
// for it, and only what was written long ago, or with the making of an object, is left to another process (recorded-writes.ts).
import { isBeginning } from '../position.ts';
import type { Itinerary } from './itinerary.ts';
import type { Whereabouts } from './whereabouts.ts';
import { isAnswer, type Wrote } from './wrote.ts';
import type { WriteQuery } from './protocol.ts';

/** Stretches before that are run once more. */
const MOST = 8;
/** Lists of statements of a stretch that nobody waits for, in a process that somebody looks into. */
const LONGEST = 1_000_000;

/** Unwritten, if that is all that can be known there. */
export async function wroteNear(at: Whereabouts, itinerary: Itinerary, asked: WriteQuery): Promise<Wrote> {
  const unwritten: Wrote = { is: 'unwritten', part: asked.text, isWhole: false, position: undefined };
  const { position } = at.stop;
  const thread = itinerary.threadOf(position.order);
  if (thread === undefined || isBeginning(position)) return unwritten;
  const isLong = (order: number): boolean => itinerary.work(order, order + 1) > LONGEST;
  // Whoever stands there shall go on standing there.
  if (isLong(position.order) || !(await at.ask('canGoBack', undefined))) return unwritten;
  let running = await at.noted();
  for (let i = 0; i <= MOST && running !== undefined; i++) {
    const wanted = { ...asked, isAll: false, isSought: i > 0 };
    const {
      at: noted,
      is,
      isPure,
      isTakenBack = false,
      ...told
    } = await running.coordinator.ask(thread, 'wrote', wanted);
    at.hasEvaluated({ isPure, isTakenBack });
    const [stretch = 0, list = 0, statement = 0] = noted ?? [];
    const order = noted && itinerary.orderOf(thread, stretch, running.begin);
    const found = order === undefined ? undefined : { order, list, statement };
    if (is !== 'earlier') return isAnswer(is) ? { ...told, is, position: found } : unwritten;
    if (order === undefined || isLong(order)) return unwritten;
    running = await at.notedIn(order);
  }
  return unwritten;
}
