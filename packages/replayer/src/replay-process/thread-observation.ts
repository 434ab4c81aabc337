// Creates the observer of a replaying thread: a task log for the run index, or the controller of a replay process.
// Other replays do not load this file.
import type { MessagePort } from 'node:worker_threads';
import type { StandbyAssignment } from '@turntable/time-machine/replay-process';
import type { ReplayRequest } from '../replay/replay-request.ts';
import { TaskLogObserver } from '../replay/thread/task-log-observer.ts';
import type { ThreadObservationDeps, ThreadObservation } from '../replay/thread/thread-observer.ts';
import { createAssignmentPorts, waitForAssignment } from './assignment-port.ts';
import { createControlMemory } from './control-words.ts';
import { CoordinatorPorts } from './coordinator-ports.ts';
import { startCoordinator } from './coordinator.ts';
import { ThreadController } from './thread-controller.ts';

export function createThreadObservation(
  { taskLog, driver }: ReplayRequest,
  deps: ThreadObservationDeps,
): ThreadObservation | undefined {
  const { thread, threads, controlMemory, coordinatorPort, clock, tape, request, pumpMessages } = deps;
  if (taskLog !== undefined) return { observer: new TaskLogObserver(taskLog, thread, clock()) };
  if (driver === undefined) return undefined;
  const memory = controlMemory ?? createControlMemory(threads.length);
  const index = threads.findIndex(({ worker, epoch }) => worker === thread.worker && epoch === thread.epoch);
  const coordinatorPorts = controlMemory === undefined ? new CoordinatorPorts(threads) : undefined;
  const observer = new ThreadController({
    thread,
    memory,
    port: (coordinatorPort ?? coordinatorPorts?.takeThreadPort(thread)) as MessagePort,
    index,
    processOptions: () => request().driver ?? {},
    isRestored: () => request().from !== undefined,
    tape,
    pumpMessages,
  });
  if (coordinatorPorts === undefined) return { observer, controlMemory: memory };
  const { coordinatorPorts: forCoordinator } = coordinatorPorts;
  const observation: ThreadObservation = {
    observer,
    controlMemory: memory,
    takeCoordinatorPort: (each) => coordinatorPorts.takeThreadPort(each),
  };
  if (driver.isStandby !== true) {
    startCoordinator({ threads, memory, ports: forCoordinator });
    return observation;
  }
  const [receiver, sender] = createAssignmentPorts();
  startCoordinator({ threads, memory, ports: forCoordinator, assignment: sender });
  return { ...observation, waitForAssignment: () => waitForAssignment(receiver) as StandbyAssignment };
}
