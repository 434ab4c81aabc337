// Turntable: messages are told where the others tell, actors pass as references, everything else as a copy. All of it on the main thread.

import { start } from 'turntable';
import { measure } from '../js/measure.ts';
import { big } from './big.ts';
import { counting } from './counting.ts';
import { forkJoin } from './fork-join.ts';
import { pingPong } from './ping-pong.ts';
import { threadRing } from './thread-ring.ts';

start({ workers: 0 });
await measure({ PingPong: pingPong, Counting: counting, ThreadRing: threadRing, ForkJoin: forkJoin, Big: big });
