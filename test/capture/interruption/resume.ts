/* The entry point of a process that goes on from a state. */
import { readFileSync } from 'node:fs';
import { interruption, state } from './preload.ts';

const goOn = await state.restore(readFileSync(interruption.from as string));
await goOn();
