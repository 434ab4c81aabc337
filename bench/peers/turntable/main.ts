// Turntable on the main thread: one-way messages where peers send one-way, actors passed by reference, data by copy.

import { start } from 'turntable';
import { measure } from '../js/measure.ts';
import { big } from './big.ts';
import { counting } from './counting.ts';
import { forkJoin } from './fork-join.ts';
import { pingPong } from './ping-pong.ts';
import { threadRing } from './thread-ring.ts';

start({ workers: 0 });
await measure({ PingPong: pingPong, Counting: counting, ThreadRing: threadRing, ForkJoin: forkJoin, Big: big });
