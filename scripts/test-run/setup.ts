// Setup file of every test worker under `npm test`. It gives the test file its own scratch directory, keeps directories
// that the file deletes there until the file has passed, and observes its child processes and their output. Under
// `npm run soak:mutants` it writes the start and end of each test, and names the file for probes. It does nothing when
// Vitest is started by hand.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setEnvironmentData } from 'node:worker_threads';
import { afterEach, aroundAll, beforeEach, expect } from 'vitest';
import { PROBES_VARIABLE, probeFileOf } from '../mutants/probe-files.ts';
import { PROGRESS_VARIABLE, writeProgress } from '../mutants/reporter.ts';
import { observeChildren } from './children.ts';
import { keepDeleted } from './deleted.ts';
import { SCRATCH_VARIABLE } from './processes.ts';
import type { Observed } from './report.ts';
import { OBSERVED_FILE, RERUN_VARIABLE, RUN_VARIABLE, scratchOf } from './scratch.ts';

const run = process.env[RUN_VARIABLE];
const { testPath } = expect.getState();

if (process.env[PROGRESS_VARIABLE] !== undefined && testPath !== undefined) {
  const file = relative(process.cwd(), testPath);
  beforeEach(({ task }) => writeProgress({ event: 'start', file, test: task.fullTestName }));
  afterEach(({ task }) => writeProgress({ event: 'end', file, test: task.fullTestName }));
  const probes = process.env[PROBES_VARIABLE];
  if (probes !== undefined) {
    const probeFile = probeFileOf(probes, file);
    process.env[PROBES_VARIABLE] = probeFile;
    // For threads without an environment.
    setEnvironmentData(PROBES_VARIABLE, probeFile);
  }
}

if (run !== undefined && testPath !== undefined) {
  const scratch = scratchOf(run, relative(process.cwd(), testPath).split(sep).join('/'));
  process.env[SCRATCH_VARIABLE] = scratch;
  const temporary = join(scratch, 'tmp');
  process.env['TMPDIR'] = temporary;
  mkdirSync(temporary, { recursive: true });
  // As open as /tmp: tests start servers as other users.
  chmodSync(scratch, 0o755);
  chmodSync(temporary, 0o1777);
  keepDeleted(temporary, join(scratch, 'deleted'));
  // A file whose module throws runs no hooks: until it is loaded, each child that ends is noted at once.
  let isLoaded = false;
  const save = (observed: Observed): void => writeFileSync(join(scratch, OBSERVED_FILE), JSON.stringify(observed));
  const running = new Set<string>();
  const observed = observeChildren({
    running,
    ended: () => {
      if (!isLoaded) save(observed());
    },
  });
  // The first hook before a test and the last one after it.
  beforeEach(({ task }) => void running.add(task.id));
  afterEach(({ task }) => void running.delete(task.id));
  // Around the file's own hooks: a failed `afterAll` skips the remaining ones.
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the source which fixtures a hook wants: none
  aroundAll(async (runFile, {}, file) => {
    isLoaded = true;
    await runFile();
    if (hasFailed(file) || process.env[RERUN_VARIABLE] !== undefined) save(observed());
  });
}

interface Task {
  readonly result?: { readonly state: string; readonly errors?: readonly unknown[] } | undefined;
  readonly tasks?: readonly Task[];
}

/** The state of a suite is set only after its hooks. */
function hasFailed({ result, tasks = [] }: Task): boolean {
  return result?.state === 'fail' || (result?.errors?.length ?? 0) > 0 || tasks.some(hasFailed);
}
