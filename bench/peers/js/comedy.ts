// comedy: in-memory actors, defined by classes whose methods are the topics; `send` awaits no answer and passes
// references unchanged.

import { installed } from './installed.ts';
import { draw } from './draw.ts';
import { measure, type Size } from './measure.ts';

type Finish = (result: number) => void;
/** Parameters of all actors; each uses some of them. */
interface Parameters {
  readonly pong: ActorRef;
  readonly counter: ActorRef;
  readonly sink: ActorRef;
  readonly id: number;
  readonly actors: number;
  readonly count: number;
  readonly finish: Finish;
}
interface ActorRef {
  send(topic: string, ...message: unknown[]): unknown;
  getCustomParameters(): Parameters;
  destroy(): Promise<void>;
}
interface Parent extends ActorRef {
  createChild(behaviour: object, config: { mode: string; customParameters?: unknown }): Promise<ActorRef>;
}
interface Comedy {
  createSystem(options: object): { rootActor(): Promise<Parent>; destroy(): Promise<void> };
}

const { createSystem } = installed<Comedy>('comedy');
const root = await createSystem({}).rootActor();

function create(behaviour: object, customParameters: Partial<Parameters> = {}): Promise<ActorRef> {
  return root.createChild(behaviour, { mode: 'in-memory', customParameters });
}

async function runToFinish(run: (finish: Finish) => Promise<readonly ActorRef[]>): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const actors = await run(resolve);
  const result = await promise;
  await Promise.all(actors.map((actor) => actor.destroy()));
  return result;
}

class Pong {
  ping(from: ActorRef): void {
    from.send('pong');
  }
}

class Ping {
  #self!: ActorRef;
  #params!: Parameters;
  #pongs = 0;
  initialize(self: ActorRef): void {
    this.#self = self;
    this.#params = self.getCustomParameters();
  }
  start(): void {
    this.#params.pong.send('ping', this.#self);
  }
  pong(): void {
    this.#pongs++;
    if (this.#pongs < this.#params.count) this.start();
    else this.#params.finish(this.#pongs);
  }
}

function pingPong({ count }: Size): Promise<number> {
  return runToFinish(async (finish) => {
    const pong = await create(Pong);
    const ping = await create(Ping, { pong, count, finish });
    ping.send('start');
    return [ping, pong];
  });
}

class Counter {
  #count = 0;
  increment(): void {
    this.#count++;
  }
  retrieve(from: ActorRef): void {
    from.send('counted', this.#count);
  }
}

class Producer {
  #self!: ActorRef;
  #params!: Parameters;
  initialize(self: ActorRef): void {
    this.#self = self;
    this.#params = self.getCustomParameters();
  }
  start(): void {
    const { counter, count } = this.#params;
    for (let i = 0; i < count; i++) counter.send('increment');
    counter.send('retrieve', this.#self);
  }
  counted(count: number): void {
    this.#params.finish(count);
  }
}

function counting({ count }: Size): Promise<number> {
  return runToFinish(async (finish) => {
    const counter = await create(Counter);
    const producer = await create(Producer, { counter, count, finish });
    producer.send('start');
    return [counter, producer];
  });
}

class Link {
  #next!: ActorRef;
  #params!: Parameters;
  initialize(self: ActorRef): void {
    this.#params = self.getCustomParameters();
  }
  setNext(next: ActorRef): void {
    this.#next = next;
  }
  hop(left: number): void {
    if (left === 0) this.#params.finish(this.#params.id);
    else this.#next.send('hop', left - 1);
  }
}

function threadRing({ actors, count }: Size): Promise<number> {
  return runToFinish(async (finish) => {
    const links = await Promise.all(Array.from({ length: actors }, (_, id) => create(Link, { id, finish })));
    links.forEach((link, i) => link.send('setNext', links[(i + 1) % actors]));
    links[0]!.send('hop', count);
    return links;
  });
}

class Fork {
  #self!: ActorRef;
  initialize(self: ActorRef): void {
    this.#self = self;
  }
  work(from: ActorRef): void {
    const value = Math.sin(37.2) ** 2;
    from.send('finished', value);
    void this.#self.destroy();
  }
}

class Master {
  #self!: ActorRef;
  #params!: Parameters;
  #finished = 0;
  initialize(self: ActorRef): void {
    this.#self = self;
    this.#params = self.getCustomParameters();
  }
  start(): void {
    for (let i = 0; i < this.#params.count; i++) void create(Fork).then((worker) => worker.send('work', this.#self));
  }
  finished(): void {
    this.#finished++;
    if (this.#finished === this.#params.count) this.#params.finish(this.#finished);
  }
}

function forkJoin({ count }: Size): Promise<number> {
  return runToFinish(async (finish) => {
    const master = await create(Master, { count, finish });
    master.send('start');
    return [master];
  });
}

class Sink {
  #params!: Parameters;
  #left = 0;
  #sum = 0;
  initialize(self: ActorRef): void {
    this.#params = self.getCustomParameters();
    this.#left = this.#params.actors;
  }
  finished(seed: number): void {
    this.#sum += seed;
    this.#left--;
    if (this.#left === 0) this.#params.finish(this.#sum);
  }
}

class Peer {
  #self!: ActorRef;
  #params!: Parameters;
  #peers: readonly ActorRef[] = [];
  #seed = 0;
  #pongs = 0;
  initialize(self: ActorRef): void {
    this.#self = self;
    this.#params = self.getCustomParameters();
    this.#seed = this.#params.id;
  }
  start(peers: readonly ActorRef[]): void {
    this.#peers = peers;
    this.#next();
  }
  ping(from: ActorRef): void {
    from.send('pong');
  }
  pong(): void {
    this.#pongs++;
    if (this.#pongs < this.#params.count) this.#next();
    else this.#params.sink.send('finished', this.#seed);
  }
  #next(): void {
    this.#seed = draw(this.#seed);
    this.#peers[this.#seed % this.#peers.length]!.send('ping', this.#self);
  }
}

function big({ actors, count }: Size): Promise<number> {
  return runToFinish(async (finish) => {
    const sink = await create(Sink, { actors, finish });
    const peers = await Promise.all(Array.from({ length: actors }, (_, id) => create(Peer, { sink, count, id })));
    for (const peer of peers) peer.send('start', peers);
    return [...peers, sink];
  });
}

await measure({ PingPong: pingPong, Counting: counting, ThreadRing: threadRing, ForkJoin: forkJoin, Big: big });
