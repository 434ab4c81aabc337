// The programs of messages.mjs over the runtime itself, told (no answers) or asked (each message is answered and its eventual settled).
// CPU time, highest of six: node -C turntable-source --expose-gc bench/prototype/actors.mjs [told|asked]
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { Scheduler } from '@turntable/runtime';
const realm = createRealm({ queueMicrotask });
let due;
const pump = () => {
  while (due) {
    const c = due;
    due = undefined;
    c();
  }
};
const scheduler = new Scheduler(realm, { types, soon: (c) => (due = c), later: (c) => (due = c), now: () => 0 });
const asks = process.argv[2] === 'asked';
const to = asks ? (r) => r : (r) => scheduler.tell(r);
let finished = false;
const done = () => {
  finished = true;
};
class Pong {
  ping(from) {
    to(from).pong();
  }
}
class Ping {
  constructor(left, pong) {
    this.left = left;
    this.to = to(pong);
    this.self = undefined;
  }
  init(self) {
    this.self = self;
  }
  start() {
    this.to.ping(this.self);
  }
  pong() {
    if (--this.left === 0) done();
    else this.to.ping(this.self);
  }
}
class Counter {
  count = 0;
  increment() {
    this.count++;
  }
  retrieve(from) {
    to(from).counted(this.count);
  }
}
class Producer {
  constructor(c, n) {
    this.counter = to(c);
    this.n = n;
  }
  start(self) {
    for (let i = 0; i < this.n; i++) this.counter.increment();
    this.counter.retrieve(self);
  }
  counted(c) {
    if (c !== this.n) throw 1;
    done();
  }
}
class Link {
  setNext(next) {
    this.next = to(next);
  }
  hop(left) {
    if (left === 0) done();
    else this.next.hop(left - 1);
  }
}
class Fork {
  work(master) {
    this.r = Math.sin(37.2) ** 2;
    to(master).finished();
  }
}
class Join {
  constructor(n) {
    this.left = this.n = n;
  }
  start(self) {
    for (let i = 0; i < this.n; i++) to(scheduler.spawn(Fork, [])).work(self);
  }
  finished() {
    if (--this.left === 0) done();
  }
}
let left = 0;
class Big {
  constructor(n, seed) {
    this.left = n;
    this.seed = seed;
  }
  init(self, peers) {
    this.self = self;
    this.peers = peers;
  }
  start() {
    this.next();
  }
  next() {
    this.seed = (Math.imul(this.seed, 1103515245) + 12345) & 0x7fffffff;
    to(this.peers[(this.seed >>> 8) % this.peers.length]).ping(this.self);
  }
  ping(from) {
    to(from).pong();
  }
  pong() {
    if (--this.left === 0) {
      if (--left === 0) done();
    } else this.next();
  }
}
const programs = {
  PingPong: [
    80000,
    () => {
      const p = scheduler.spawn(Ping, [40000, scheduler.spawn(Pong, [])]);
      to(p).init(p);
      to(p).start();
    },
  ],
  Counting: [
    1e6,
    () => {
      const p = scheduler.spawn(Producer, [scheduler.spawn(Counter, []), 1e6]);
      to(p).start(p);
    },
  ],
  ThreadRing: [
    100000,
    () => {
      const ls = Array.from({ length: 100 }, () => scheduler.spawn(Link, []));
      ls.forEach((l, i) => to(l).setNext(ls[(i + 1) % 100]));
      to(ls[0]).hop(100000);
    },
  ],
  ForkJoin: [
    40000,
    () => {
      const j = scheduler.spawn(Join, [40000]);
      to(j).start(j);
    },
  ],
  Big: [
    4800000,
    () => {
      left = 120;
      const b = Array.from({ length: 120 }, (_, i) => scheduler.spawn(Big, [20000, i * 7919 + 1]));
      b.forEach((x) => to(x).init(x, b));
      b.forEach((x) => to(x).start());
    },
  ],
};
const best = {};
for (let r = 0; r < 6; r++)
  for (const [n, [count, start]] of Object.entries(programs)) {
    globalThis.gc?.();
    finished = false;
    const t = process.threadCpuUsage().user;
    start();
    pump();
    if (!finished) throw new Error(n);
    const d = (process.threadCpuUsage().user - t) / 1000;
    best[n] = Math.max(best[n] ?? 0, count / 1000 / d);
  }
console.log(
  asks ? 'asked' : 'told',
  Object.entries(best)
    .map(([k, v]) => `${k} ${v.toFixed(2)}`)
    .join('  '),
);
