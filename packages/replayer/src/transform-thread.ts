// Entry point of the thread that asks the transform service for another thread (transform-service/recorded-code.ts).
import { workerData } from 'node:worker_threads';
import { serveThread, type TransformThreadData } from './transform-service/thread.ts';

serveThread(workerData as TransformThreadData);
