/*
 * Small programs, each about one thing that a snapshot could tear. `first` is what waits when the program begins; `main@0` is the main
 * program. Two phases begin while they run, at any moment on each worker.
 */
import {
  keyOf,
  newState,
  workerOf,
  type ActorId,
  type Pointer,
  type Reference,
  type State,
  type Value,
} from './model.ts';
import type { Method, Methods } from './program.ts';
import type { World } from './protocol.ts';
import type { Moment } from './restore.ts';

export interface Scenario {
  readonly name: string;
  readonly workers: number;
  readonly phases: number;
  readonly methods: Methods;
  readonly loss?: World['loss'] | undefined;
  readonly begin: Moment;
}

interface Sketch {
  readonly workers: number;
  readonly phases?: number;
  /** Workers that are there from the beginning; all, if nothing is said. */
  readonly there?: number;
  readonly loss?: World['loss'] | undefined;
  readonly actors: Readonly<Record<ActorId, Readonly<Record<string, Value>>>>;
  readonly first: readonly (readonly [ActorId, string, ...Value[]])[];
  readonly methods: Methods;
}

const [main, a, b, c] = [root('main@0'), root('a@1'), root('b@1'), root('c@2')];

/** Goes on when there is an outcome: counts it and keeps it, in an object that was kept for that, or else in its own. */
const got: Method = (turn, outcome, kept) => {
  turn.add('count', kept);
  turn.set('got', outcome as Value, kept);
  if (kept !== undefined) turn.set('kept', kept);
};
const bump: Method = (turn) => turn.add('n');

export const scenarios: readonly Scenario[] = [
  scene('an actor of another worker is asked and answers', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': {} },
    first: [
      ['main@0', 'go'],
      ['a@1', 'bump'],
    ],
    methods: { go: (turn) => turn.then(turn.ask(turn.get('a'), 'bump'), 'got'), got, bump },
  }),

  scene('an actor of the same worker is asked and answers', {
    workers: 2,
    actors: { 'main@0': { d: root('d@0') }, 'd@0': {}, 'a@1': { main } },
    first: [
      ['main@0', 'go'],
      ['a@1', 'tellMain'],
    ],
    methods: {
      go: (turn) => turn.then(turn.ask(turn.get('d'), 'bump'), 'got', turn.object({ of: 'go' })),
      tellMain: (turn) => turn.tell(turn.get('main'), 'bump'),
      got,
      bump,
    },
  }),

  scene('who has asked gives up before there is an answer', {
    workers: 2,
    actors: { 'main@0': { d: root('d@0') }, 'd@0': {} },
    first: [
      ['main@0', 'go'],
      ['main@0', 'giveUp'],
      ['d@0', 'bump'],
    ],
    methods: {
      go: (turn) => turn.set('answer', turn.ask(turn.get('d'), 'bump')),
      giveUp: (turn) => turn.settle(turn.get('answer'), 'late'),
      bump,
    },
  }),

  scene('two actors share the state of a module', {
    workers: 2,
    actors: { 'main@0': { a, b }, 'a@1': {}, 'b@1': {} },
    first: [
      ['a@1', 'draw'],
      ['b@1', 'draw'],
      ['main@0', 'go'],
    ],
    methods: {
      draw: (turn) => turn.set('drawn', turn.count()),
      go: (turn) => turn.tell(turn.get('a'), 'draw'),
    },
  }),

  scene('a reference is lent and passed on to the third, all on one worker', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b, e: root('e@1') }, 'b@1': {}, 'e@1': {} },
    first: [['a@1', 'lend']],
    methods: {
      lend: (turn) => turn.tell(turn.get('b'), 'pass', turn.lend(turn.object({ n: 0 })), turn.get('e')),
      pass: (turn, thing, to) => turn.tell(to as Value, 'use', thing as Value),
      use: (turn, thing) => {
        turn.set('thing', thing as Value);
        turn.tell(thing as Value, 'bump');
      },
      bump,
    },
  }),

  scene('a reference is lent and passed on to the third, on three workers', {
    workers: 3,
    actors: { 'main@0': { a }, 'a@1': { c }, 'c@2': { main } },
    first: [['a@1', 'lend']],
    methods: {
      lend: (turn) => turn.tell(turn.get('c'), 'pass', turn.lend(turn.object({ n: 0 }))),
      pass: (turn, thing) => turn.tell(turn.get('main'), 'use', thing as Value),
      use: (turn, thing) => turn.tell(thing as Value, 'bump'),
      bump,
    },
  }),

  scene('what is lent belongs to the graph of its actor, too', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b }, 'b@1': {} },
    first: [
      ['a@1', 'lend'],
      ['a@1', 'change'],
    ],
    methods: {
      lend: (turn) => {
        const thing = turn.object({ n: 0 });
        turn.set('mine', thing);
        turn.tell(turn.get('b'), 'keep', turn.lend(thing));
      },
      change: (turn) => turn.add('n', turn.get('mine')),
      keep: (turn, thing) => {
        turn.set('thing', thing as Value);
        turn.tell(thing as Value, 'bump');
      },
      bump,
    },
  }),

  scene('two objects that are lent lead to a third', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b, main }, 'b@1': {} },
    first: [['a@1', 'lend']],
    methods: {
      lend: (turn) => {
        const third = turn.object({ n: 0 });
        turn.tell(turn.get('b'), 'keep', turn.lend(turn.object({ third })));
        turn.tell(turn.get('main'), 'use', turn.lend(turn.object({ third })));
      },
      keep: (turn, thing) => turn.set('thing', thing as Value),
      use: (turn, thing) => turn.tell(thing as Value, 'change'),
      change: (turn) => turn.add('n', turn.get('third')),
    },
  }),

  scene('a reference is taken back while others have it', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b }, 'b@1': {} },
    first: [
      ['a@1', 'lend'],
      ['main@0', 'go'],
    ],
    methods: {
      lend: (turn) => {
        const thing = turn.object({ n: 0 });
        turn.set('mine', thing);
        turn.tell(turn.get('b'), 'keep', turn.lend(thing));
      },
      keep: (turn, thing) => {
        turn.set('thing', thing as Value);
        turn.then(turn.ask(thing as Value, 'bump'), 'got');
      },
      got,
      go: (turn) => turn.tell(turn.get('a'), 'takeBack'),
      takeBack: (turn) => turn.release(turn.lend(turn.get('mine') as Pointer)),
      bump,
    },
  }),

  scene('an eventual is passed on twice and settled later', {
    workers: 3,
    actors: { 'main@0': { a, c }, 'a@1': {}, 'c@2': { main } },
    first: [['main@0', 'go']],
    methods: {
      // The one who asks passes the eventual on before there is an answer.
      go: (turn) => turn.tell(turn.get('c'), 'wait', turn.ask(turn.get('a'), 'bump')),
      wait: (turn, eventual) => turn.then(eventual as Value, 'got'),
      got,
      bump,
    },
  }),

  scene('an eventual is passed on the same worker and away again, and settled by a turn of its own', {
    workers: 2,
    actors: { 'main@0': { d: root('d@0') }, 'd@0': { a }, 'a@1': {} },
    first: [
      ['main@0', 'go'],
      ['main@0', 'decide'],
    ],
    methods: {
      go: (turn) => {
        const eventual = turn.eventual();
        turn.set('eventual', eventual);
        turn.tell(turn.get('d'), 'pass', eventual);
      },
      decide: (turn) => turn.settle(turn.get('eventual'), 7),
      pass: (turn, eventual) => turn.tell(turn.get('a'), 'wait', eventual as Value),
      wait: (turn, eventual) => turn.then(eventual as Value, 'got'),
      got,
    },
  }),

  scene('a question is answered by what another one answers', {
    workers: 3,
    actors: { 'main@0': { a }, 'a@1': { c }, 'c@2': {} },
    first: [['main@0', 'go']],
    methods: {
      go: (turn) => turn.then(turn.ask(turn.get('a'), 'delegate'), 'got', turn.object({ of: 'go' })),
      delegate: (turn) => turn.ask(turn.get('c'), 'bump'),
      got,
      bump,
    },
  }),

  scene('what is sent to an eventual goes to the object that it becomes', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': {} },
    first: [
      ['main@0', 'go'],
      ['a@1', 'bump'],
    ],
    methods: {
      go: (turn) => turn.tellLater(turn.ask(turn.get('a'), 'lend'), 'bump'),
      lend: (turn) => turn.lend(turn.object({ n: 0 })),
      bump,
    },
  }),

  scene('an actor is spawned, told of, and told something by who has heard of it first', {
    workers: 3,
    actors: { 'main@0': { c }, 'c@2': {} },
    first: [['main@0', 'go']],
    methods: {
      go: (turn) => {
        const spawned = turn.spawn('s@1', { n: 0 });
        turn.tell(turn.get('c'), 'meet', spawned);
      },
      meet: (turn, spawned) => turn.then(turn.ask(spawned as Value, 'bump'), 'got'),
      got,
      bump,
    },
  }),

  scene('actors are spawned by actors, on the same worker', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': {} },
    first: [
      ['a@1', 'raise'],
      ['main@0', 'go'],
    ],
    methods: {
      raise: (turn) => {
        const child = turn.spawn('s@1', { parent: root(turn.me) });
        turn.set('child', child);
        turn.tell(child, 'bump');
      },
      go: (turn) => turn.tell(turn.get('a'), 'bump'),
      bump,
    },
  }),

  scene('an actor is watched and stopped from elsewhere', {
    workers: 3,
    actors: { 'main@0': { c }, 'a@1': { c }, 'c@2': {} },
    first: [
      ['main@0', 'watch'],
      ['a@1', 'end'],
      ['c@2', 'bump'],
    ],
    methods: {
      watch: (turn) => turn.then(turn.whenBroken(turn.get('c')), 'got'),
      end: (turn) => turn.stop(turn.get('c')),
      got,
      bump,
    },
  }),

  scene('an actor is watched and stopped on its worker', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b, e: root('e@1') }, 'b@1': { e: root('e@1') }, 'e@1': {} },
    first: [
      ['a@1', 'watch'],
      ['b@1', 'end'],
    ],
    methods: {
      watch: (turn) => turn.then(turn.whenBroken(turn.get('e')), 'got'),
      end: (turn) => turn.stop(turn.get('e')),
      got,
    },
  }),

  scene('workers are started while a phase begins', {
    workers: 3,
    there: 1,
    actors: { 'main@0': {} },
    first: [['main@0', 'go']],
    methods: {
      go: (turn) => {
        turn.startWorkers();
        const other = turn.spawn('t@2');
        turn.tell(turn.spawn('s@1', { other }), 'pass');
      },
      pass: (turn) => turn.tell(turn.get('other'), 'bump'),
      bump,
    },
  }),

  scene('a worker is lost and another one takes its place', {
    workers: 4,
    there: 3,
    phases: 1,
    loss: { worker: 2, successor: 3 },
    actors: { 'main@0': { c }, 'a@1': { c }, 'c@2': { a } },
    first: [
      ['main@0', 'go'],
      ['a@1', 'hint'],
    ],
    methods: {
      go: (turn) => turn.then(turn.ask(turn.get('c'), 'bump'), 'again'),
      again: (turn, outcome) => {
        if (outcome === 'lost') turn.tell(turn.spawn('s@3'), 'bump');
        else turn.set('got', outcome as Value);
      },
      hint: (turn) => turn.tell(turn.get('c'), 'pass'),
      pass: (turn) => turn.tell(turn.get('a'), 'bump'),
      bump,
    },
  }),

  scene('messages of one actor to another, beside each other and across', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { main } },
    first: [
      ['main@0', 'go'],
      ['a@1', 'across'],
    ],
    methods: {
      go: (turn) => {
        turn.tell(turn.get('a'), 'note', 1);
        turn.tell(turn.get('a'), 'note', 2);
      },
      across: (turn) => turn.tell(turn.get('main'), 'note', 3),
      note: (turn, number) => turn.set('noted', `${turn.get('noted') ?? ''}${number as number}`),
    },
  }),
];

function root(actor: ActorId): Reference {
  return { ref: actor, number: 0 };
}

function scene(name: string, { workers, phases = 2, there = workers, loss, actors, first, methods }: Sketch): Scenario {
  const numbers = Array.from({ length: there }, (_, worker) => worker);
  const states: Record<number, State> = {};
  for (const here of numbers) {
    states[here] = newState(
      here,
      numbers.filter((worker) => worker !== here),
    );
  }
  const at = (actor: ActorId): State => states[workerOf(actor)] as State;
  for (const [id, cells] of Object.entries(actors)) {
    const state = at(id);
    const object = ++state.created;
    state.objects[object] = { owner: id, cells: { ...cells } };
    state.actors[id] = { stage: 'alive', root: object, lent: 0, watchers: [], early: [] };
    for (const value of Object.values(cells) as Reference[]) {
      const { given } = at(value.ref);
      const isAway = workerOf(value.ref) !== state.here;
      if (isAway && !given.some((each) => keyOf(each) === keyOf(value))) given.push(value);
    }
  }
  for (const [to, method, ...args] of first)
    at(to).queue.push({ to, what: 'call', target: root(to), method, args, settles: null });
  return { name, workers, phases, methods, loss, begin: { states, rings: {} } };
}
