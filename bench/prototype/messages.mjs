// Messages between actors of one worker, in the layouts that the runtime could have, on the five programs that peers are compared by.
// CPU time of the thread, lowest of some runs: node -C turntable-source --expose-gc bench/prototype/messages.mjs [runs] [variant …]
import { createRealm } from '@turntable/core';

const realm = createRealm({ queueMicrotask });
const { jobs } = realm;

const BUDGET = 64;

/** A ring of messages per actor, each an object with an array of arguments. */
function objects() {
  class Ring {
    items = [undefined, undefined, undefined, undefined];
    mask = 3;
    head = 0;
    size = 0;
    push(item) {
      if (this.size > this.mask) this.grow();
      this.items[(this.head + this.size++) & this.mask] = item;
    }
    shift() {
      const item = this.items[this.head];
      this.items[this.head] = undefined;
      this.head = (this.head + 1) & this.mask;
      this.size--;
      return item;
    }
    grow() {
      const items = [];
      for (let i = 0; i <= this.mask * 2 + 1; i++)
        items[i] = i < this.size ? this.items[(this.head + i) & this.mask] : undefined;
      this.items = items;
      this.mask = this.mask * 2 + 1;
      this.head = 0;
    }
  }
  class Message {
    constructor(key, args) {
      this.key = key;
      this.args = args;
    }
  }
  const ready = new Ring();
  class Actor {
    mailbox = new Ring();
    isReady = false;
    root = undefined;
  }
  function send(actor, key, ...args) {
    actor.mailbox.push(new Message(key, args));
    if (actor.isReady) return;
    actor.isReady = true;
    ready.push(actor);
  }
  function run() {
    while (ready.size > 0) {
      const actor = ready.shift();
      const { mailbox, root } = actor;
      for (let left = BUDGET; left > 0 && mailbox.size > 0; left--) {
        const { key, args } = mailbox.shift();
        root[key](...args);
        if (jobs.size() > 0) jobs.drain();
      }
      if (mailbox.size > 0) ready.push(actor);
      else actor.isReady = false;
    }
  }
  return { Actor, send, run, stub: referenceClass };
}

/** Slots in segments that come from a pool: key, result, number of arguments, arguments. */
function segments({ size = 512 } = {}) {
  const pool = [];
  const blank = Array.from({ length: size }, () => undefined);
  class Segment {
    slots = blank.slice();
    next = undefined;
  }
  const take = () => pool.pop() ?? new Segment();
  class Actor {
    first = undefined;
    last = undefined;
    from = 0;
    to = 0;
    size = 0;
    isReady = false;
    root = undefined;
    side = 0;
    behind = undefined;
  }
  let head;
  let tail;
  function enqueue(actor) {
    actor.isReady = true;
    if (head === undefined) head = actor;
    else tail.behind = actor;
    tail = actor;
  }
  function room(actor, count) {
    if (actor.last === undefined) {
      actor.first = actor.last = take();
      actor.from = actor.to = 0;
    } else if (actor.to + count > size) {
      if (actor.to < size) actor.last.slots[actor.to] = END;
      actor.last = actor.last.next = take();
      actor.to = 0;
    }
    return actor.last.slots;
  }
  const END = { end: true };
  function send(actor, key, count, a, b, c) {
    const slots = room(actor, 3 + count);
    let at = actor.to;
    slots[at] = key;
    slots[at + 1] = undefined;
    slots[at + 2] = count;
    at += 3;
    if (count > 0) slots[at++] = a;
    if (count > 1) slots[at++] = b;
    if (count > 2) slots[at++] = c;
    actor.to = at;
    actor.size++;
    if (!actor.isReady) enqueue(actor);
  }
  function run() {
    while (head !== undefined) {
      const actor = head;
      head = actor.behind;
      actor.behind = undefined;
      for (let left = BUDGET; left > 0 && actor.size > 0; left--) turn(actor);
      if (actor.size > 0) enqueue(actor);
      else {
        actor.isReady = false;
        if (actor.first !== undefined) release(actor);
      }
    }
  }
  function release(actor) {
    const segment = actor.first;
    actor.first = actor.last = undefined;
    if (pool.length < 256) pool.push(segment);
  }
  function turn(actor) {
    let { slots } = actor.first;
    let at = actor.from;
    if (at >= size || slots[at] === END) {
      const segment = actor.first;
      actor.first = segment.next;
      segment.next = undefined;
      if (slots[at] === END) slots[at] = undefined;
      if (pool.length < 256) pool.push(segment);
      slots = actor.first.slots;
      at = 0;
    }
    const key = slots[at];
    const count = slots[at + 2];
    const { root } = actor;
    slots[at] = undefined;
    actor.from = at + 3 + count;
    actor.size--;
    switch (count) {
      case 0:
        root[key]();
        break;
      case 1: {
        const a = slots[at + 3];
        slots[at + 3] = undefined;
        root[key](a);
        break;
      }
      default: {
        const a = slots[at + 3];
        const b = slots[at + 4];
        const c = count > 2 ? slots[at + 5] : undefined;
        slots[at + 3] = slots[at + 4] = undefined;
        if (count > 2) slots[at + 5] = undefined;
        root[key](a, b, c);
      }
    }
    if (jobs.size() > 0) jobs.drain();
  }
  return { Actor, send, run, stub: (type, engine) => referenceClass(type, engine, true) };
}

/**
 * One queue, and a mailbox for an actor that has many messages waiting: what comes after them goes there, and a token in the queue
 * stands for some of it at a time. So a flood of one actor does not hold up the others.
 */
function queueAndMailboxes({ size = 512, spare = 256, crowd = 1024 } = {}) {
  const blank = Array.from({ length: size }, () => undefined);
  class Segment {
    slots = blank.slice();
    next = undefined;
  }
  const END = { end: true };
  const pool = [];
  /** Flat slots, first in, first out. */
  class Queue {
    first = pool.pop() ?? new Segment();
    last = this.first;
    slots = this.last.slots;
    from = 0;
    to = 0;
    place(count) {
      if (this.to + count > size) this.extend();
      const at = this.to;
      this.to = at + count;
      return at;
    }
    extend() {
      if (this.to < size) this.slots[this.to] = END;
      this.last = this.last.next = pool.pop() ?? new Segment();
      this.slots = this.last.slots;
      this.to = 0;
    }
    isEmpty() {
      return this.from === this.to && this.first === this.last;
    }
    advance() {
      const done = this.first;
      done.slots[this.from] = undefined;
      this.first = done.next;
      done.next = undefined;
      if (pool.length < spare) pool.push(done);
      this.from = 0;
    }
    release() {
      if (pool.length < spare) pool.push(this.first);
    }
  }
  const queue = new Queue();
  class Actor {
    root = undefined;
    size = 0;
    mailbox = undefined;
  }
  const TOKEN = { token: true };
  function send(actor, key, count, a, b, c) {
    let into = queue;
    actor.size++;
    if (actor.mailbox !== undefined || actor.size > crowd) into = crowded(actor);
    const at = into.place(4 + count);
    const { slots } = into;
    slots[at] = actor;
    slots[at + 1] = key;
    slots[at + 2] = undefined;
    slots[at + 3] = count;
    if (count > 0) slots[at + 4] = a;
    if (count > 1) slots[at + 5] = b;
    if (count > 2) slots[at + 6] = c;
  }
  /** Once it has a mailbox, everything goes there until it is empty; a token stands for it. */
  function crowded(actor) {
    if (actor.mailbox === undefined) {
      actor.mailbox = new Queue();
      token(actor);
    }
    return actor.mailbox;
  }
  function token(actor) {
    const at = queue.place(4);
    queue.slots[at] = actor;
    queue.slots[at + 1] = TOKEN;
    queue.slots[at + 3] = 0;
  }
  function run() {
    while (!queue.isEmpty()) {
      const { first, from } = queue;
      if (from >= size || first.slots[from] === END) queue.advance();
      else if (first.slots[from + 1] === TOKEN) some(first.slots, from);
      else turn(queue, first.slots, from);
    }
  }
  function some(slots, at) {
    const actor = slots[at];
    const { mailbox } = actor;
    slots[at] = undefined;
    queue.from = at + 4;
    for (let left = BUDGET; left > 0 && !mailbox.isEmpty();) {
      const { first, from } = mailbox;
      if (from >= size || first.slots[from] === END) mailbox.advance();
      else {
        turn(mailbox, first.slots, from);
        left--;
      }
    }
    if (!mailbox.isEmpty()) return token(actor);
    mailbox.release();
    actor.mailbox = undefined;
  }
  function turn(queue, slots, at) {
    const actor = slots[at];
    const key = slots[at + 1];
    const count = slots[at + 3];
    const { root } = actor;
    actor.size--;
    slots[at] = undefined;
    queue.from = at + 4 + count;
    switch (count) {
      case 0:
        root[key]();
        break;
      case 1: {
        const a = slots[at + 4];
        slots[at + 4] = undefined;
        root[key](a);
        break;
      }
      default: {
        const a = slots[at + 4];
        const b = slots[at + 5];
        const c = count > 2 ? slots[at + 6] : undefined;
        slots[at + 4] = slots[at + 5] = undefined;
        if (count > 2) slots[at + 6] = undefined;
        root[key](a, b, c);
      }
    }
    if (jobs.size() > 0) jobs.drain();
  }
  return { Actor, send, run, stub: (type, engine) => referenceClass(type, engine, true) };
}

/** What sends: a method a method of the class. */
function referenceClass(type, { send }, counted = false) {
  class Reference {
    constructor(actor) {
      this.actor = actor;
    }
  }
  for (const key of Object.getOwnPropertyNames(type.prototype)) {
    if (key === 'constructor') continue;
    Reference.prototype[key] = counted
      ? function (a, b, c) {
          send(this.actor, key, arguments.length, a, b, c);
        }
      : function (...args) {
          send(this.actor, key, ...args);
        };
  }
  return Reference;
}

class Pong {
  ping(from) {
    from.pong();
  }
}
class Ping {
  left = 0;
  constructor(left, pong, done) {
    this.left = left;
    this.to = pong;
    this.done = done;
  }
  start() {
    this.to.ping(this.self);
  }
  pong() {
    if (--this.left === 0) this.done();
    else this.to.ping(this.self);
  }
}
class Counter {
  count = 0;
  increment() {
    this.count++;
  }
  retrieve(to) {
    to.counted(this.count);
  }
}
class Producer {
  constructor(counter, messages, done) {
    this.counter = counter;
    this.messages = messages;
    this.done = done;
  }
  start() {
    for (let i = 0; i < this.messages; i++) this.counter.increment();
    this.counter.retrieve(this.self);
  }
  counted(count) {
    if (count !== this.messages) throw new Error(`counted ${count}`);
    this.done();
  }
}
class Link {
  constructor(done) {
    this.done = done;
  }
  setNext(next) {
    this.next = next;
  }
  hop(left) {
    if (left === 0) this.done();
    else this.next.hop(left - 1);
  }
}
class Fork {
  work(master) {
    this.result = Math.sin(37.2) ** 2;
    master.finished();
  }
}
class Join {
  constructor(count, done, spawn) {
    this.left = this.count = count;
    this.done = done;
    this.spawn = spawn;
  }
  start() {
    for (let i = 0; i < this.count; i++) this.spawn(new Fork()).work(this.self);
  }
  finished() {
    if (--this.left === 0) this.done();
  }
}
class Big {
  constructor(left, seed, done) {
    this.left = left;
    this.seed = seed;
    this.done = done;
  }
  setPeers(peers) {
    this.peers = peers;
  }
  start() {
    this.next();
  }
  next() {
    this.seed = (Math.imul(this.seed, 1103515245) + 12345) & 0x7fffffff;
    this.peers[(this.seed >>> 8) % this.peers.length].ping(this.self);
  }
  ping(from) {
    from.pong();
  }
  pong() {
    if (--this.left === 0) this.done();
    else this.next();
  }
}

const programs = {
  PingPong: [80_000, (spawn, done) => spawn(new Ping(40_000, spawn(new Pong()), done)).start()],
  Counting: [1e6, (spawn, done) => spawn(new Producer(spawn(new Counter()), 1e6, done)).start()],
  ThreadRing: [
    100_000,
    (spawn, done) => {
      const links = Array.from({ length: 100 }, () => spawn(new Link(done)));
      links.forEach((link, i) => link.setNext(links[(i + 1) % 100]));
      links[0].hop(100_000);
    },
  ],
  ForkJoin: [40_000, (spawn, done) => spawn(new Join(40_000, done, spawn)).start()],
  Big: [
    4_800_000,
    (spawn, done) => {
      let left = 120;
      const peers = Array.from({ length: 120 }, (_, i) =>
        spawn(new Big(20_000, i * 7919 + 1, () => --left === 0 && done())),
      );
      for (const peer of peers) peer.setPeers(peers);
      for (const peer of peers) peer.start();
    },
  ],
};

const variants = {
  objects,
  'segments of 512': () => segments(),
  'one queue': () => queueAndMailboxes({ crowd: Infinity }),
  'queue and mailboxes': () => queueAndMailboxes(),
};
const [runs = '9', ...wanted] = process.argv.slice(2);
const results = {};
for (let i = 0; i < Number(runs); i++) {
  for (const [name, make] of Object.entries(variants)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const [program, [count, start]] of Object.entries(programs)) {
      const engine = (results[name] ??= { engine: make(), stubs: new Map(), times: {} });
      const { stubs } = engine;
      const spawn = (root) => {
        let stub = stubs.get(root.constructor);
        if (stub === undefined)
          stubs.set(root.constructor, (stub = engine.engine.stub(root.constructor, engine.engine)));
        const actor = new engine.engine.Actor();
        actor.root = root;
        return (root.self = new stub(actor));
      };
      globalThis.gc?.();
      let finished = false;
      const before = process.threadCpuUsage().user;
      start(spawn, () => (finished = true));
      engine.engine.run();
      const time = (process.threadCpuUsage().user - before) / 1000;
      if (!finished) throw new Error(`${program} did not finish`);
      (engine.times[program] ??= []).push(count / 1000 / time);
    }
  }
}
console.log('M messages/s'.padEnd(20), ...Object.keys(programs).map((name) => name.padStart(11)));
for (const [name, { times }] of Object.entries(results))
  console.log(
    name.padEnd(20),
    ...Object.values(times).map((list) =>
      Math.max(...list)
        .toFixed(1)
        .padStart(11),
    ),
  );
