// What the thread of an engine's desk runs (engine/desk.ts).
import { workerData } from 'node:worker_threads';
import { serveDesk, type DeskData } from './replay-process/desk.ts';

serveDesk(workerData as DeskData);
