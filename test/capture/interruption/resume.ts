/* The entry point of a process that goes on from a state. */
import { readFileSync } from 'node:fs';
import { interruption, state } from './preload.ts';

await state.resume(readFileSync(interruption.from as string));
