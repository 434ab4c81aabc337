// A time machine with a recording whose statements and values are written down, without any process.
import { fileURLToPath } from 'node:url';
import { TimeMachineServer, type TimeMachineDeps } from '@turntable/time-machine/server';
import { CART_FILE, scriptedRecording, type ScriptedTask, type ScriptOptions } from './scripted-recording.ts';

/** The path of the only file, which is not on disk. */
export const CART_PATH = fileURLToPath(CART_FILE);

/** `sum` calls `add`, whose loop runs twice; then the check fails, and a timer ends the program. */
export const CART_TASKS: readonly ScriptedTask[] = [
  {
    kind: 'evaluation',
    actor: 'main',
    method: '',
    statements: [14, { line: 16, events: [['stdout', 'ready']] }],
    sends: [[1, 'Cart#1', 'add']],
  },
  { statements: [14, ...[4, 5, 4, 5, 4, 7].map((line) => ({ line, depth: 2 })), 16] },
  {
    method: 'check',
    beginsPhase: true,
    statements: [{ line: 10, events: [['caught', 'RangeError: too expensive']] }],
  },
  {
    kind: 'entry',
    actor: 'main',
    method: 'timer',
    statements: [
      { line: 15, events: [['stderr', 'slow']] },
      { line: 16, events: [['device', 'clock.now']] },
    ],
  },
];

/** The same tasks, in which the first one has suspended `sum`. */
export const SUSPENDED_CART_TASKS: readonly ScriptedTask[] = CART_TASKS.map((task, i) =>
  i === 0 ? { ...task, runs: [{ number: 1, call: 0, previous: null }] } : task,
);

/** Functions that await the stack at every statement: `sum`, another function, and 32 more. */
export const CART_AWAITERS: NonNullable<ScriptOptions['awaiting']> = [
  { line: 16, run: [1, 1], combinator: 'all', others: 3 },
  { line: 5, run: undefined, others: 1 },
  ...Array.from({ length: 32 }, () => ({ line: 1, run: undefined, others: 0 })),
];

export interface ScriptedServerOptions extends ScriptOptions {
  readonly tasks?: readonly ScriptedTask[];
  readonly deps?: Partial<TimeMachineDeps>;
  /** For a running program: end of its recording so far. */
  readonly until?: number;
}

type ServerArguments = ConstructorParameters<typeof TimeMachineServer>;

/** The arguments of a server's constructor, and of its method `replace`. */
export function scriptedServerArguments({
  tasks = CART_TASKS,
  deps,
  until,
  ...options
}: ScriptedServerOptions = {}): Required<ServerArguments> {
  const { runIndex, deps: scripted } = scriptedRecording(tasks, options);
  const recording = { name: 'recordings/cart', from: undefined, verdict: 'same', until };
  // A recording lists its files by path, and names them by URL in stacks.
  const nameOf = (file: string): string => (file === CART_PATH ? CART_FILE : file);
  const byPath: Partial<TimeMachineDeps> = {
    sourceFiles: () => [CART_PATH],
    findSource: (file) => scripted.findSource(nameOf(file)),
    findStatements: (file) => scripted.findStatements?.(nameOf(file)),
    findFunctions: (file) => scripted.findFunctions?.(nameOf(file)),
  };
  return [runIndex, recording, '1.2.3', { ...scripted, ...byPath, ...deps }];
}

export function scriptedServer(options?: ScriptedServerOptions): TimeMachineServer {
  return new TimeMachineServer(...scriptedServerArguments(options));
}
