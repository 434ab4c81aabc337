// Turntable: messages are told where the others tell, references pass as references, everything else as a copy.

import { measure } from '../js/measure.ts';
import { big } from './big.ts';
import { counting } from './counting.ts';
import { forkJoin } from './fork-join.ts';
import { pingPong } from './ping-pong.ts';
import { threadRing } from './thread-ring.ts';

await measure({ PingPong: pingPong, Counting: counting, ThreadRing: threadRing, ForkJoin: forkJoin, Big: big });
