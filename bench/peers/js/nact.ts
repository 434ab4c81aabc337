// nact: actors are functions of a state, a message and a context; requests carry the reference of the sender.

import { installed } from './installed.ts';
import { measure, type Size } from './measure.ts';
import { draw } from './draw.ts';

interface Reference {
  readonly path: unknown;
}
interface Context {
  readonly self: Reference;
}
interface Message {
  readonly type: string;
  readonly from?: Reference;
  readonly value?: number;
}
type Stateful<S> = (state: S, message: Message, context: Context) => S;
interface Nact {
  start(): Reference;
  spawn<S>(parent: Reference, f: Stateful<S>, name?: string, options?: { initialState: S }): Reference;
  spawnStateless(parent: Reference, f: (message: Message, context: Context) => void, name?: string): Reference;
  dispatch(to: Reference, message: Message): void;
  stop(actor: Reference): void;
}

const { start, spawn, spawnStateless, dispatch, stop } = installed<Nact>('nact');

async function inSystem(run: (system: Reference, finish: (result: number) => void) => void): Promise<number> {
  const system = start();
  const result = await new Promise<number>((resolve) => run(system, resolve));
  stop(system);
  return result;
}

function pingPong({ count }: Size): Promise<number> {
  return inSystem((system, finish) => {
    const pong = spawnStateless(system, (message, { self }) => dispatch(message.from!, { type: 'pong', from: self }));
    const ping = spawn<number>(
      system,
      (pongs, message, { self }) => {
        const seen = message.type === 'pong' ? pongs + 1 : pongs;
        if (seen < count) dispatch(pong, { type: 'ping', from: self });
        else finish(seen);
        return seen;
      },
      'ping',
      { initialState: 0 },
    );
    dispatch(ping, { type: 'start' });
  });
}

function counting({ count }: Size): Promise<number> {
  return inSystem((system, finish) => {
    const counter = spawn<number>(
      system,
      (seen, message) => {
        if (message.type === 'increment') return seen + 1;
        dispatch(message.from!, { type: 'counted', value: seen });
        return seen;
      },
      'counter',
      { initialState: 0 },
    );
    const producer = spawnStateless(system, (message, { self }) => {
      if (message.type === 'counted') return finish(message.value!);
      for (let i = 0; i < count; i++) dispatch(counter, { type: 'increment' });
      dispatch(counter, { type: 'retrieve', from: self });
    });
    dispatch(producer, { type: 'start' });
  });
}

function threadRing({ actors, count }: Size): Promise<number> {
  return inSystem((system, finish) => {
    const links: Reference[] = [];
    for (let i = 0; i < actors; i++) {
      const link = spawnStateless(system, ({ value }) => {
        if (value === 0) finish(i);
        else dispatch(links[(i + 1) % actors]!, { type: 'hop', value: value! - 1 });
      });
      links.push(link);
    }
    dispatch(links[0]!, { type: 'hop', value: count });
  });
}

function forkJoin({ count }: Size): Promise<number> {
  return inSystem((system, finish) => {
    const master = spawn<number>(
      system,
      (finished, message, { self }) => {
        if (message.type === 'finished') {
          if (finished + 1 === count) finish(count);
          return finished + 1;
        }
        for (let i = 0; i < count; i++) dispatch(worker(system, `worker${i}`), { type: 'work', from: self });
        return finished;
      },
      'master',
      { initialState: 0 },
    );
    dispatch(master, { type: 'start' });
  });
}

function worker(system: Reference, name: string): Reference {
  const work = (message: Message, { self }: Context): void => {
    const value = Math.sin(37.2) ** 2;
    dispatch(message.from!, { type: 'finished', value });
    stop(self);
  };
  // Explicit names: of 40,000 that nact generates, two may be equal.
  return spawnStateless(system, work, name);
}

function big({ actors, count }: Size): Promise<number> {
  return inSystem((system, finish) => {
    let left = actors;
    let sum = 0;
    const sink = spawnStateless(system, ({ value }) => {
      sum += value!;
      left--;
      if (left === 0) finish(sum);
    });
    const peers: Reference[] = [];
    for (let i = 0; i < actors; i++) {
      let pongs = 0;
      let seed = i;
      const peer = spawnStateless(system, (message, { self }) => {
        if (message.type === 'ping') return dispatch(message.from!, { type: 'pong' });
        if (message.type === 'pong') pongs++;
        if (pongs === count) return dispatch(sink, { type: 'finished', value: seed });
        seed = draw(seed);
        dispatch(peers[seed % actors]!, { type: 'ping', from: self });
      });
      peers.push(peer);
    }
    for (const peer of peers) dispatch(peer, { type: 'start' });
  });
}

await measure({ PingPong: pingPong, Counting: counting, ThreadRing: threadRing, ForkJoin: forkJoin, Big: big });
