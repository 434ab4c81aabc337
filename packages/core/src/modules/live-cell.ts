// The cell of an import from native code: every read goes to the native namespace, so its bindings stay live.
import { Cell } from '../cell.ts';

export class LiveCell extends Cell {
  /** Set when the native module is evaluated; until then the exports read as `undefined`. */
  source: Record<string, unknown> | undefined = undefined;

  override get v(): unknown {
    return this.source === undefined ? undefined : this.source[this.name];
  }

  override set v(_value: unknown) {
    throw new TypeError('Assignment to constant variable.');
  }
}
