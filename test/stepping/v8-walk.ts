// Walks of V8's debugger, in terms of our statements:
//
// - A stop is the activation, and the innermost statement of our table around V8's position.
// - Heads of loops, class declarations and closing braces are passed with the same step, in another activation with `next`.
// - A stop at the same statement of the same activation is passed, too.
// - After a return, and after an `await`, V8 stops within the statement that called; it is passed with `next`.
// - A step into a call of `console` stays at its place. It is passed with `next`.
// - Any step at a return is `finish`, as in V8. If a builtin made the call, V8 stops in its next call, such as the next one
//   of `map`; such calls are passed with `finish` up to the function that has called the builtin.
// - A walk ends where V8 leaves an activation that no function on the stack has called, and no function awaits. V8 follows
//   only an `await` of the call of an async function, and not of a generator or a promise that depends on the call.
import type { StatementName, StatementTable } from './statement-table.ts';
import type { V8Debugger, V8Frame, V8Place, V8Step, V8Stop } from './v8-debugger.ts';

/** `n`: next, over calls; `s`: step, into calls; `f`: finish, out of the function. */
export type WalkMove = 'n' | 's' | 'f';

/** `ACTIVATION:LINE:COLUMN`. */
export type StopName = `${number}:${StatementName}`;

const STEPS: Readonly<Record<WalkMove, V8Step>> = { n: 'stepOver', s: 'stepInto', f: 'stepOut' };
const MAX_STEPS_OF_MOVE = 200;

/** Makes moves from a stop; returns the stops. They are fewer than the moves if the walk ends. */
export async function walkV8(
  debug: V8Debugger,
  table: StatementTable,
  start: V8Stop,
  moves: readonly WalkMove[],
): Promise<StopName[]> {
  const stops: StopName[] = [];
  let at = start;
  let current = stopName(table, start);
  for (const move of moves) {
    let step = STEPS[move];
    /** The step that passes a stop which does not count. */
    let passing = step;
    /** Callers of an activation that V8 has left, while it stops in other calls by a builtin. */
    let callers: readonly string[] | undefined;
    /** The statement that V8 has returned into. */
    let passed: StopName | undefined;
    for (let count = 0; ; count++) {
      if (count === MAX_STEPS_OF_MOVE) throw new Error(`no stop after ${current} with ${STEPS[move]}`);
      const before = at;
      const isAtReturn = before.frames[0]?.isReturn === true;
      const next = await debug.step(isAtReturn ? 'stepOut' : step);
      const relation = next === undefined ? 'none' : relationOf(table, before, next);
      const isLeaving = isAtReturn || step === 'stepOut';
      // V8 has left the activation, and met it, its caller or its callee again.
      const isEntered = relation === 'same' && next !== undefined && !isSameActivation(table, before, next);
      const isLost = isLeaving
        ? relation === 'same' && callers === undefined
        : relation === 'sibling' || (isEntered && step === 'stepOver');
      if (next === undefined || relation === 'none' || isLost) return stops;
      at = next;
      const name = stopName(table, at);
      if (relation === 'left') passing = 'stepOver';
      if (relation === 'sibling') callers ??= before.frames.slice(1).map((frame) => activationOf(table, frame));
      if (callers?.includes(activationOf(table, at.frames[0] as V8Frame)) === false) {
        step = 'stepOut';
        continue;
      }
      callers = undefined;
      if (relation === 'left' && isWithinCaller(table, before, at)) passed = name;
      else if (name !== passed) passed = undefined;
      if (passed !== undefined) step = 'stepOver';
      else if (name !== undefined && name !== current) {
        current = name;
        break;
      } else step = isSamePlace(before, at) ? 'stepOver' : passing;
    }
    stops.push(current as StopName);
  }
  return stops;
}

function isSameActivation(table: StatementTable, { frames: [before] }: V8Stop, { frames: [at] }: V8Stop): boolean {
  return before !== undefined && at !== undefined && activationOf(table, before) === activationOf(table, at);
}

function isSamePlace({ frames: [before] }: V8Stop, { frames: [at] }: V8Stop): boolean {
  return before?.line === at?.line && before?.column === at?.column;
}

/** The name of a stop; undefined where our table has no statement, or the head of a loop. */
export function stopName(table: StatementTable, { frames: [frame] }: V8Stop): StopName | undefined {
  const statement = frame && table.around(frame);
  if (frame === undefined || statement === undefined || statement.isPassed) return undefined;
  return `${frame.activation}:${statement.name}`;
}

/**
 * `same`: in the same activation, or in one that it has called. `left`: in a caller, or in what awaits it. `sibling`: in
 * another activation that a caller has called. `none`: V8 has left the activation, and stopped at the next code that runs.
 */
function relationOf(table: StatementTable, before: V8Stop, { frames }: V8Stop): 'same' | 'left' | 'sibling' | 'none' {
  const [top] = frames;
  if (top === undefined || before.frames[0] === undefined) return 'none';
  const activations = frames.map((frame) => activationOf(table, frame));
  const [activation = '', ...callers] = before.frames.map((frame) => activationOf(table, frame));
  if (activations.includes(activation)) return 'same';
  if (callers.includes(activations[0] as string)) return 'left';
  if (callers.some((each) => activations.includes(each))) return 'sibling';
  return awaitOf(table, before, top) === undefined ? 'none' : 'left';
}

/** Name of the activation of a frame. Arrow functions without a body show the number of the function around them. */
function activationOf(table: StatementTable, frame: V8Frame): string {
  return `${frame.activation} ${table.functionAt(frame)}`;
}

/** The place of the statement that awaits the async function that has ended after an earlier stop. */
function awaitOf(table: StatementTable, { frames, asyncFrames }: V8Stop, top: V8Place): V8Place | undefined {
  const [frame, caller] = frames;
  if (frame === undefined || caller !== undefined || !table.isAsync(table.functionAt(frame))) return undefined;
  const fn = table.functionAt(top);
  return asyncFrames.find((place) => table.functionAt(place) === fn && table.around(place)?.awaitsCall === true);
}

/** Whether V8 has returned into the middle of the statement that called or awaits the activation of the stop before. */
function isWithinCaller(table: StatementTable, before: V8Stop, { frames: [top] }: V8Stop): boolean {
  if (top === undefined) return false;
  const activation = activationOf(table, top);
  const call = before.frames.find((frame) => activationOf(table, frame) === activation) ?? awaitOf(table, before, top);
  return call !== undefined && table.around(call)?.name === table.around(top)?.name;
}
