// Entry point of a process that resumes from a state.
import { readFileSync } from 'node:fs';
import { interruption, state } from './preload.ts';

const resume = await state.restore(readFileSync(interruption.from as string));
await resume();
