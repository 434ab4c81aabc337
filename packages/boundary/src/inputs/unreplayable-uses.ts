// Features that the program has used and that cannot be replayed. The user is warned of each once, while recording.
import { writeSync } from '@turntable/loader';
import type { BOUNDARY_ERRORS } from '../error-table.ts';
import { patchedMethods } from './patched-methods.ts';

export class UnreplayableUses {
  readonly #isReplay: boolean;
  /** Descriptions by feature. */
  readonly #descriptions = new Map<string, string>();
  #callerLocation: () => string | undefined = () => undefined;

  constructor(isReplay: boolean) {
    this.#isReplay = isReplay;
  }

  locateBy(callerLocation: () => string | undefined): void {
    this.#callerLocation = callerLocation;
  }

  /** Reports a use by the running code. */
  report(feature: string): void {
    if (this.#descriptions.has(feature)) return;
    const location = this.#callerLocation();
    const description = location === undefined ? feature : `${feature}, at ${location}`;
    this.#descriptions.set(feature, description);
    this.#warn('TT_NOT_RECORDED', `the program uses ${description}: a replay needs --force and may differ`);
  }

  /** Features with the location of their first use. */
  descriptions(): readonly string[] {
    for (const method of patchedMethods()) {
      const feature = `${method}, which the program has replaced`;
      if (this.#descriptions.has(feature)) continue;
      this.#descriptions.set(feature, feature);
      this.#warn(
        'TT_PATCHED',
        `the program has replaced ${method}: calls of it by Node's own objects are not recorded, so a replay may differ; define the method on objects or classes of the program instead`,
      );
    }
    return [...this.#descriptions.values()];
  }

  /** Writes a warning as Node does. `process.emitWarning` would call the program's listeners, also in a replay. */
  #warn(code: keyof typeof BOUNDARY_ERRORS, message: string): void {
    if (this.#isReplay || process.env['NODE_NO_WARNINGS'] === '1' || process.execArgv.includes('--no-warnings')) return;
    try {
      writeSync(2, `(node:${process.pid}) [${code}] Warning: ${message}\n`);
    } catch {
      // Standard error is closed, or is a full pipe that does not block.
    }
  }
}
