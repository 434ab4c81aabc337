// Small programs, each about one thing that a snapshot could tear apart. `firstMessages` are queued at the start;
// `main@0` is the main program. By default two phases begin during a run, at any moment on each worker.
import {
  keyOf,
  createState,
  workerOf,
  type ActorId,
  type Pointer,
  type ModelReference,
  type ModelState,
  type ModelValue,
} from './model.ts';
import type { Method, Methods } from './program.ts';
import type { ExplorerWorld } from './protocol.ts';
import type { ClusterState } from './restore.ts';

export interface Scenario {
  readonly name: string;
  readonly workers: number;
  readonly phases: number;
  readonly methods: Methods;
  readonly loss?: ExplorerWorld['loss'] | undefined;
  readonly initialState: ClusterState;
}

interface ScenarioOptions {
  readonly workers: number;
  readonly phases?: number;
  /** Number of workers at the start; all by default. */
  readonly startedWorkers?: number;
  readonly loss?: ExplorerWorld['loss'] | undefined;
  readonly actors: Readonly<Record<ActorId, Readonly<Record<string, ModelValue>>>>;
  readonly firstMessages: readonly (readonly [ActorId, string, ...ModelValue[]])[];
  readonly methods: Methods;
}

const [main, a, b, c] = [root('main@0'), root('a@1'), root('b@1'), root('c@2')];

/** Continuation that counts and stores the outcome, in `kept` if given, otherwise in the actor's root. */
const got: Method = (turn, outcome, kept) => {
  turn.add('count', kept);
  turn.set('got', outcome as ModelValue, kept);
  if (kept !== undefined) turn.set('kept', kept);
};
const bump: Method = (turn) => turn.add('n');

export const SCENARIOS: readonly Scenario[] = [
  createScenario('call to an actor of another worker', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': {} },
    firstMessages: [
      ['main@0', 'go'],
      ['a@1', 'bump'],
    ],
    methods: { go: (turn) => turn.then(turn.ask(turn.get('a'), 'bump'), 'got'), got, bump },
  }),

  createScenario('call to an actor of the same worker', {
    workers: 2,
    actors: { 'main@0': { d: root('d@0') }, 'd@0': {}, 'a@1': { main } },
    firstMessages: [
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

  createScenario('caller settles the eventual before the answer arrives', {
    workers: 2,
    actors: { 'main@0': { d: root('d@0') }, 'd@0': {} },
    firstMessages: [
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

  createScenario('two actors share module state', {
    workers: 2,
    actors: { 'main@0': { a, b }, 'a@1': {}, 'b@1': {} },
    firstMessages: [
      ['a@1', 'draw'],
      ['b@1', 'draw'],
      ['main@0', 'go'],
    ],
    methods: {
      draw: (turn) => turn.set('drawn', turn.count()),
      go: (turn) => turn.tell(turn.get('a'), 'draw'),
    },
  }),

  createScenario('lent reference passed on to a third actor, all on one worker', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b, e: root('e@1') }, 'b@1': {}, 'e@1': {} },
    firstMessages: [['a@1', 'lend']],
    methods: {
      lend: (turn) => turn.tell(turn.get('b'), 'pass', turn.lend(turn.object({ n: 0 })), turn.get('e')),
      pass: (turn, object, to) => turn.tell(to as ModelValue, 'use', object as ModelValue),
      use: (turn, object) => {
        turn.set('thing', object as ModelValue);
        turn.tell(object as ModelValue, 'bump');
      },
      bump,
    },
  }),

  createScenario('lent reference passed on to a third actor, on three workers', {
    workers: 3,
    actors: { 'main@0': { a }, 'a@1': { c }, 'c@2': { main } },
    firstMessages: [['a@1', 'lend']],
    methods: {
      lend: (turn) => turn.tell(turn.get('c'), 'pass', turn.lend(turn.object({ n: 0 }))),
      pass: (turn, object) => turn.tell(turn.get('main'), 'use', object as ModelValue),
      use: (turn, object) => turn.tell(object as ModelValue, 'bump'),
      bump,
    },
  }),

  createScenario('lent object that its actor also reaches', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b }, 'b@1': {} },
    firstMessages: [
      ['a@1', 'lend'],
      ['a@1', 'change'],
    ],
    methods: {
      lend: (turn) => {
        const object = turn.object({ n: 0 });
        turn.set('mine', object);
        turn.tell(turn.get('b'), 'keep', turn.lend(object));
      },
      change: (turn) => turn.add('n', turn.get('mine')),
      keep: (turn, object) => {
        turn.set('thing', object as ModelValue);
        turn.tell(object as ModelValue, 'bump');
      },
      bump,
    },
  }),

  createScenario('two lent objects lead to a third', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b, main }, 'b@1': {} },
    firstMessages: [['a@1', 'lend']],
    methods: {
      lend: (turn) => {
        const third = turn.object({ n: 0 });
        turn.tell(turn.get('b'), 'keep', turn.lend(turn.object({ third })));
        turn.tell(turn.get('main'), 'use', turn.lend(turn.object({ third })));
      },
      keep: (turn, object) => turn.set('thing', object as ModelValue),
      use: (turn, object) => turn.tell(object as ModelValue, 'change'),
      change: (turn) => turn.add('n', turn.get('third')),
    },
  }),

  createScenario('lent reference released while another actor holds it', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b }, 'b@1': {} },
    firstMessages: [
      ['a@1', 'lend'],
      ['main@0', 'go'],
    ],
    methods: {
      lend: (turn) => {
        const object = turn.object({ n: 0 });
        turn.set('mine', object);
        turn.tell(turn.get('b'), 'keep', turn.lend(object));
      },
      keep: (turn, object) => {
        turn.set('thing', object as ModelValue);
        turn.then(turn.ask(object as ModelValue, 'bump'), 'got');
      },
      got,
      go: (turn) => turn.tell(turn.get('a'), 'takeBack'),
      takeBack: (turn) => turn.release(turn.lend(turn.get('mine') as Pointer)),
      bump,
    },
  }),

  createScenario('eventual passed on twice before it is settled', {
    workers: 3,
    actors: { 'main@0': { a, c }, 'a@1': {}, 'c@2': { main } },
    firstMessages: [['main@0', 'go']],
    methods: {
      // The caller passes the eventual on before it is settled.
      go: (turn) => turn.tell(turn.get('c'), 'wait', turn.ask(turn.get('a'), 'bump')),
      wait: (turn, eventual) => turn.then(eventual as ModelValue, 'got'),
      got,
      bump,
    },
  }),

  createScenario('eventual passed on locally, then to another worker, and settled by a later turn', {
    workers: 2,
    actors: { 'main@0': { d: root('d@0') }, 'd@0': { a }, 'a@1': {} },
    firstMessages: [
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
      pass: (turn, eventual) => turn.tell(turn.get('a'), 'wait', eventual as ModelValue),
      wait: (turn, eventual) => turn.then(eventual as ModelValue, 'got'),
      got,
    },
  }),

  createScenario('call answered with the eventual of another call', {
    workers: 3,
    actors: { 'main@0': { a }, 'a@1': { c }, 'c@2': {} },
    firstMessages: [['main@0', 'go']],
    methods: {
      go: (turn) => turn.then(turn.ask(turn.get('a'), 'delegate'), 'got', turn.object({ of: 'go' })),
      delegate: (turn) => turn.ask(turn.get('c'), 'bump'),
      got,
      bump,
    },
  }),

  createScenario('message sent to an eventual before it is settled', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': {} },
    firstMessages: [
      ['main@0', 'go'],
      ['a@1', 'bump'],
    ],
    methods: {
      go: (turn) => turn.tellLater(turn.ask(turn.get('a'), 'lend'), 'bump'),
      lend: (turn) => turn.lend(turn.object({ n: 0 })),
      bump,
    },
  }),

  createScenario('message to a new actor overtakes its spawn', {
    workers: 3,
    actors: { 'main@0': { c }, 'c@2': {} },
    firstMessages: [['main@0', 'go']],
    methods: {
      go: (turn) => {
        const spawned = turn.spawn('s@1', { n: 0 });
        turn.tell(turn.get('c'), 'meet', spawned);
      },
      meet: (turn, spawned) => turn.then(turn.ask(spawned as ModelValue, 'bump'), 'got'),
      got,
      bump,
    },
  }),

  createScenario('actor spawned by an actor of the same worker', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': {} },
    firstMessages: [
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

  createScenario('actor watched and stopped by other workers', {
    workers: 3,
    actors: { 'main@0': { c }, 'a@1': { c }, 'c@2': {} },
    firstMessages: [
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

  createScenario('actor watched and stopped on its own worker', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { b, e: root('e@1') }, 'b@1': { e: root('e@1') }, 'e@1': {} },
    firstMessages: [
      ['a@1', 'watch'],
      ['b@1', 'end'],
    ],
    methods: {
      watch: (turn) => turn.then(turn.whenBroken(turn.get('e')), 'got'),
      end: (turn) => turn.stop(turn.get('e')),
      got,
    },
  }),

  createScenario('workers started while a phase begins', {
    workers: 3,
    startedWorkers: 1,
    actors: { 'main@0': {} },
    firstMessages: [['main@0', 'go']],
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

  createScenario('worker lost and replaced', {
    workers: 4,
    startedWorkers: 3,
    phases: 1,
    loss: { worker: 2, successor: 3 },
    actors: { 'main@0': { c }, 'a@1': { c }, 'c@2': { a } },
    firstMessages: [
      ['main@0', 'go'],
      ['a@1', 'hint'],
    ],
    methods: {
      go: (turn) => turn.then(turn.ask(turn.get('c'), 'bump'), 'again'),
      again: (turn, outcome) => {
        if (outcome === 'lost') turn.tell(turn.spawn('s@3'), 'bump');
        else turn.set('got', outcome as ModelValue);
      },
      hint: (turn) => turn.tell(turn.get('c'), 'pass'),
      pass: (turn) => turn.tell(turn.get('a'), 'bump'),
      bump,
    },
  }),

  createScenario('several messages between two actors in both directions', {
    workers: 2,
    actors: { 'main@0': { a }, 'a@1': { main } },
    firstMessages: [
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

function root(actor: ActorId): ModelReference {
  return { ref: actor, number: 0 };
}

function createScenario(
  name: string,
  { workers, phases = 2, startedWorkers = workers, loss, actors, firstMessages, methods }: ScenarioOptions,
): Scenario {
  const numbers = Array.from({ length: startedWorkers }, (_, worker) => worker);
  const states: Record<number, ModelState> = {};
  for (const worker of numbers) {
    states[worker] = createState(
      worker,
      numbers.filter((other) => other !== worker),
    );
  }
  const at = (actor: ActorId): ModelState => states[workerOf(actor)] as ModelState;
  for (const [id, cells] of Object.entries(actors)) {
    const state = at(id);
    const object = ++state.created;
    state.objects[object] = { owner: id, cells: { ...cells } };
    state.actors[id] = { stage: 'alive', root: object, lent: 0, watchers: [], early: [] };
    for (const value of Object.values(cells) as ModelReference[]) {
      const { given } = at(value.ref);
      const isAway = workerOf(value.ref) !== state.worker;
      if (isAway && !given.some((each) => keyOf(each) === keyOf(value))) given.push(value);
    }
  }
  for (const [to, method, ...args] of firstMessages)
    at(to).queue.push({ to, kind: 'call', target: root(to), method, args, replyTo: null });
  return { name, workers, phases, methods, loss, initialState: { states, rings: {} } };
}
