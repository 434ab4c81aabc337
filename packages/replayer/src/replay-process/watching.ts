// What watches a thread of a replay: the survey notes its stretches, the controller of a replay process pauses it. A replay that
// nothing watches does not load this.
import type { MessagePort } from 'node:worker_threads';
import type { StandbyAssignment } from '@turntable/time-machine/replay-process';
import type { ReplayOrder } from '../replay/replay-order.ts';
import { Surveying } from '../replay/thread/surveying.ts';
import type { WatchDeps, Watching } from '../replay/thread/thread-watch.ts';
import { assignmentPorts, waitForAssignment } from './assignment-port.ts';
import { controlMemory } from './control-words.ts';
import { CoordinatorPorts } from './coordinator-ports.ts';
import { startCoordinator } from './coordinator.ts';
import { ThreadController } from './thread-controller.ts';

export function watching({ survey, engine }: ReplayOrder, deps: WatchDeps): Watching | undefined {
  const { thread, threads, control, coordinator, clock, tape, order } = deps;
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
