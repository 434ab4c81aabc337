// The statement that throws an error. A run reports an error when it is caught or rejects a promise; the last statement
// before that is often in the constructor of the error's class, which `throw new SoldOut()` has called.
import type { Position } from '../position.ts';
import type { StepController } from '../stepping/step-controller.ts';

/** Name of a constructor in stacks. */
const CONSTRUCTOR = 'constructor';

/**
 * Returns the `throw` statement whose error is under construction at a position; undefined if there is none. An error
 * of the constructor itself counts as thrown by the statement, too.
 */
export async function throwStatementAt(
  stepper: StepController,
  position: Position,
  signal: AbortSignal,
): Promise<Position | undefined> {
  const current = await stepper.locationOf(position, signal);
  if (current === undefined || current.kind === 'throw') return undefined;
  let isInConstructor = false;
  const { frames } = await stepper.stack.at(position, signal);
  for (const { function: name, lastStatement } of frames) {
    // Implicit constructors have no statements. Initializers of fields have no name.
    if (name === CONSTRUCTOR || lastStatement === undefined) isInConstructor = true;
    else if (name !== '' || isInConstructor) {
      const isThrow = isInConstructor && (await stepper.locationOf(lastStatement, signal))?.kind === 'throw';
      return isThrow ? lastStatement : undefined;
    }
  }
  return undefined;
}
