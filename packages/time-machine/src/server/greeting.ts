// The answer to `hello`: a description of the recording, of all moves and of all breakpoint kinds.
import type { StepMove } from '../stepping/step-moves.ts';
import { BREAKPOINT_KINDS } from '../stepping/breakpoint-kinds.ts';
import type { Move } from '../moves/move.ts';
import { isOutputKind, INDEXED_EVENT_KINDS, TASK_KINDS, type IndexedEventKind, type TaskKind } from '../task-log.ts';
import { PROTOCOL_VERSION, type ResultOf } from '../protocol.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';

export interface RecordingInfo {
  readonly name: string;
  /** The snapshot from which the replay starts; undefined for the start of the recording. */
  readonly from: number | undefined;
  /** Result of a complete replay: same, truncated, incomplete, diverged. */
  readonly verdict: string;
  /** For a running program: end time of its recording so far, in milliseconds since 1970. */
  readonly until?: number | undefined;
  /** Exit code of the process; undefined if it was killed or still runs. */
  readonly exitCode?: number | undefined;
}

const TASK_KIND_TITLES: Readonly<Record<TaskKind, string>> = {
  evaluation: 'module evaluation',
  entry: 'host callback',
  call: 'method call',
  construct: 'actor construction',
  fulfil: 'reply',
  reject: 'error reply',
  stop: 'actor stop',
  jobs: 'jobs of Node',
};

const EVENT_KIND_TITLES: Readonly<Record<IndexedEventKind, string>> = {
  stdout: 'standard output',
  stderr: 'standard error',
  uncaught: 'an uncaught error',
  cut: 'a snapshot',
  caught: 'an error that was caught or that ended a turn',
  rejection: 'an error that rejected a promise',
  unhandled: 'an uncaught error that was thrown earlier',
  device: 'a host call',
  request: 'a request to a service',
  response: 'a response of a service',
};

const BREAKPOINT_KIND_INFOS = BREAKPOINT_KINDS.map(({ id, title, group, detail, canHaveCondition }) => ({
  id,
  title,
  group,
  detail,
  canHaveCondition,
}));

interface GreetingOptions {
  readonly recording: RecordingInfo;
  readonly client: number;
  /** Version of Turntable. */
  readonly version: string;
  readonly graph: TaskGraph;
  readonly moves: readonly (Move | StepMove)[];
  /** Whether the recording can be replayed statement by statement. */
  readonly canStep: boolean;
}

export function buildGreeting(options: GreetingOptions): Omit<ResultOf<'hello'>, 'cursor'> {
  const { client, recording, version, graph, moves, canStep } = options;
  const { runIndex, phases, count } = graph;
  return {
    version: PROTOCOL_VERSION,
    server: { name: 'turntable', version },
    client,
    recording,
    canStep,
    taskCount: count,
    startTime: count === 0 ? 0 : runIndex.task(1).time,
    endTime: count === 0 ? 0 : runIndex.task(count).time,
    phases,
    threads: runIndex.threads.map(({ worker, epoch, count, end }) => ({ worker, epoch, taskCount: count, end })),
    taskKinds: TASK_KINDS.map((id) => ({ id, title: TASK_KIND_TITLES[id] })),
    eventKinds: INDEXED_EVENT_KINDS.map((id) => ({
      id,
      title: EVENT_KIND_TITLES[id],
      isOutput: isOutputKind(id) || id === 'uncaught' || id === 'unhandled',
    })),
    moves: moves.map(({ id, title, group, directions, parameters }) => ({
      id,
      title,
      group,
      directions,
      parameters: parameters.map((parameter) => ({ ...parameter })),
    })),
    breakpointKinds: canStep ? BREAKPOINT_KIND_INFOS : [],
  };
}
