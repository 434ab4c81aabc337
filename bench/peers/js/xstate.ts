// XState: callback actors, the kind whose logic may send whenever it wants. An event for an actor that is not busy is
// handled within `send`, on the sender's stack; one for a busy actor waits in its mailbox.

import { installed } from './installed.ts';
import { draw } from './draw.ts';
import { measure, type Size } from './measure.ts';

interface Event {
  readonly type: string;
  readonly from?: ActorRef;
  readonly value?: number;
}
interface ActorRef {
  start(): ActorRef;
  stop(): ActorRef;
  send(event: Event): void;
}
interface Scope {
  readonly self: ActorRef;
  receive(listener: (event: Event) => void): void;
}
interface XState {
  createActor(logic: object): ActorRef;
  fromCallback(logic: (scope: Scope) => void): object;
}

const { createActor, fromCallback } = installed<XState>('xstate');

type Behaviour = (event: Event, self: ActorRef) => void;

function spawn(behaviour: Behaviour): ActorRef {
  return createActor(fromCallback(({ self, receive }) => receive((event) => behaviour(event, self)))).start();
}

async function withActors(run: (made: ActorRef[], finish: (result: number) => void) => void): Promise<number> {
  const made: ActorRef[] = [];
  const result = await new Promise<number>((resolve) => run(made, resolve));
  for (const actor of made) actor.stop();
  return result;
}

function pingPong({ count }: Size): Promise<number> {
  return withActors((made, finish) => {
    const pong = spawn((event) => event.from!.send({ type: 'pong' }));
    let pongs = 0;
    const ping = spawn((event, self) => {
      if (event.type === 'pong') pongs++;
      if (pongs < count) pong.send({ type: 'ping', from: self });
      else finish(pongs);
    });
    made.push(ping, pong);
    ping.send({ type: 'start' });
  });
}

function counting({ count }: Size): Promise<number> {
  return withActors((made, finish) => {
    let seen = 0;
    const counter = spawn((event) => {
      if (event.type === 'increment') seen++;
      else event.from!.send({ type: 'counted', value: seen });
    });
    const producer = spawn((event, self) => {
      if (event.type === 'counted') return finish(event.value!);
      for (let i = 0; i < count; i++) counter.send({ type: 'increment' });
      counter.send({ type: 'retrieve', from: self });
    });
    made.push(counter, producer);
    producer.send({ type: 'start' });
  });
}

function threadRing({ actors, count }: Size): Promise<number> {
  return withActors((made, finish) => {
    for (let i = 0; i < actors; i++) {
      const link = spawn(({ value }) => {
        if (value === 0) finish(i);
        else made[(i + 1) % actors]!.send({ type: 'hop', value: value! - 1 });
      });
      made.push(link);
    }
    made[0]!.send({ type: 'hop', value: count });
  });
}

function forkJoin({ count }: Size): Promise<number> {
  return withActors((made, finish) => {
    let finished = 0;
    const master = spawn((event, self) => {
      if (event.type === 'finished') {
        finished++;
        if (finished === count) finish(finished);
        return;
      }
      for (let i = 0; i < count; i++) spawn(work).send({ type: 'work', from: self });
    });
    made.push(master);
    master.send({ type: 'start' });
  });
}

function work(event: Event, self: ActorRef): void {
  const value = Math.sin(37.2) ** 2;
  event.from!.send({ type: 'finished', value });
  self.stop();
}

function big({ actors, count }: Size): Promise<number> {
  return withActors((made, finish) => {
    let left = actors;
    let sum = 0;
    const sink = spawn(({ value }) => {
      sum += value!;
      left--;
      if (left === 0) finish(sum);
    });
    for (let i = 0; i < actors; i++) {
      let pongs = 0;
      let seed = i;
      const peer = spawn((event, self) => {
        if (event.type === 'ping') return event.from!.send({ type: 'pong' });
        if (event.type === 'pong') pongs++;
        if (pongs === count) return sink.send({ type: 'finished', value: seed });
        seed = draw(seed);
        made[seed % actors]!.send({ type: 'ping', from: self });
      });
      made.push(peer);
    }
    for (const peer of made.slice()) peer.send({ type: 'start' });
    made.push(sink);
  });
}

await measure({ PingPong: pingPong, Counting: counting, ThreadRing: threadRing, ForkJoin: forkJoin, Big: big });
