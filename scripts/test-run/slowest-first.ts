// The order of test files: slow files first, so that no core is idle while the last one runs. Vitest itself knows the
// durations of an earlier run only, which CI does not have.
import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from '../node-release.mjs';

/** Files that take longer than about 30 seconds in CI, the slowest first. */
export const SLOW_FILES: readonly string[] = [
  'apps/debugger/test/browser.test.ts',
  'test/replay/dying.test.ts',
  'test/engine/states.test.ts',
  'test/engine/watch.test.ts',
  'test/debug/gdb-tasks.test.ts',
  'test/engine/engine.test.ts',
  'test/engine/damaged.test.ts',
  'test/capture/interruption/behaviour.test.ts',
  'test/outside/services.test.ts',
  'test/replay/savina.test.ts',
  'test/programs/programs.test.ts',
  'test/engine/wrote.test.ts',
  'test/examples/examples.test.ts',
  'test/actors/actors.test.ts',
  'test/dap/kinds.test.ts',
  'test/replay/faults.test.ts',
  'test/replay/replay.test.ts',
  'test/recordings/cuts.test.ts',
  'test/capture/interruption/interruption.test.ts',
  'apps/debugger/test/write-history.test.ts',
  'packages/recording/test/file-faults.test.ts',
  'test/replay/incomplete.test.ts',
  'test/engine/back.test.ts',
  'test/replay/run-index.test.ts',
  'test/engine/algebra.test.ts',
  'test/recordings/recordings.test.ts',
  'test/engine/endless.test.ts',
  'test/outside/features.test.ts',
  'test/conformance/cases.test.ts',
  'test/engine/kinds.test.ts',
  'bench/jardis/jardis.test.ts',
  'test/replay/racy.test.ts',
  'test/in-place/in-place.test.ts',
  'test/recordings/later.test.ts',
  'test/devtools/front-end.test.ts',
];

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = SLOW_FILES.indexOf(relative(root, moduleId).split(sep).join('/'));
      return index === -1 ? SLOW_FILES.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
