// Entry point of the coordinator's thread (replay-process/coordinator.ts).
import { workerData } from 'node:worker_threads';
import { serveCoordinator, type CoordinatorData } from './replay-process/coordinator.ts';

serveCoordinator(workerData as CoordinatorData);
