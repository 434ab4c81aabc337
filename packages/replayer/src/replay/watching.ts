// Who watches a thread that runs again, stretch by stretch: to note what it does, or to keep it from going on. A replay that nobody watches loads nothing of this.
import type { MessagePort } from 'node:worker_threads';
import type { FollowingTape } from '@turntable/runtime';
import type { StandbyAssignment, ThreadName } from '@turntable/time-machine/replay-process';
import { assignmentPorts, waitForAssignment } from '../replay-process/assignment-port.ts';
import { controlMemory } from '../replay-process/control-words.ts';
import { CoordinatorPorts } from '../replay-process/coordinator-ports.ts';
import { startCoordinator } from '../replay-process/coordinator.ts';
import { ThreadController } from '../replay-process/thread-controller.ts';
import type { Clock } from '../trace/timeline.ts';
import type { ReplayOrder } from './replay-order.ts';
import type { ThreadWatch } from './thread-watch.ts';
import { Surveying, type SurveyedThread } from './surveying.ts';

export interface WatchedParts {
  readonly thread: SurveyedThread;
  /** All that the recording has. */
  readonly threads: readonly ThreadName[];
  /** The main thread's; nothing on the main thread. */
  readonly control: SharedArrayBuffer | undefined;
  /** The thread's end of its channel to the coordinator; undefined on the main thread. */
  readonly coordinator: MessagePort | undefined;
  clock(): Clock;
  tape(): FollowingTape;
  /** As it is when the program is about to be loaded. */
  order(): ReplayOrder;
}

export interface Watching {
  readonly watch: ThreadWatch;
  /** For the other threads. */
  readonly control?: SharedArrayBuffer;
  /** A thread's end of its channel to the coordinator. Can be taken once. */
  coordinatorPort?(thread: ThreadName): MessagePort | undefined;
  /** Of a standby process: blocks until there is an assignment. */
  waitForAssignment?(): StandbyAssignment;
}

export function watching({ survey, engine }: ReplayOrder, parts: WatchedParts): Watching | undefined {
  const { thread, threads, control, coordinator, clock, tape, order } = parts;
  if (survey !== undefined) return { watch: new Surveying(survey, thread, clock()) };
  if (engine === undefined) return undefined;
  const memory = control ?? controlMemory(threads.length);
  const index = threads.findIndex(({ worker, life }) => worker === thread.worker && life === thread.life);
  const ports = control === undefined ? new CoordinatorPorts(threads) : undefined;
  const watch = new ThreadController({
    thread,
    memory,
    port: (coordinator ?? ports?.take(thread)) as MessagePort,
    index,
    wishes: () => order().engine ?? {},
    isRestored: () => order().from !== undefined,
    tape,
  });
  if (ports === undefined) return { watch, control: memory };
  const { forCoordinator } = ports;
  const watching: Watching = { watch, control: memory, coordinatorPort: (each) => ports.take(each) };
  if (engine.isStandby !== true) {
    startCoordinator({ threads, memory, ports: forCoordinator });
    return watching;
  }
  const [receiver, sender] = assignmentPorts();
  startCoordinator({ threads, memory, ports: forCoordinator, assignment: sender });
  return { ...watching, waitForAssignment: () => waitForAssignment(receiver) as StandbyAssignment };
}
