// View of a snapshot for queries, which consists of data only. Nothing of the program runs, and neither its code nor
// its versions are needed. Retained sizes are computed on first use.
import { readInertState, type InertModule, type InertSources } from '@turntable/program-state/inert';
import { classOfPrototype, ObjectGraph, ObjectSizes, type Holder } from '@turntable/heap/inert';
import {
  inertActors,
  inertRuntimeObjects,
  type InertActor,
  type InertMessage,
  type InertWorker,
} from '@turntable/runtime/inert';
import { types } from 'node:util';

/** Messages that wait for an actor. */
export interface MailboxView {
  readonly waiting: number;
  /** Number of messages by method or kind. */
  readonly methods: Readonly<Record<string, number>>;
  readonly messages: readonly InertMessage[];
}

/** An actor in a snapshot. */
export interface ActorView {
  readonly id: number;
  /** Name of the actor, such as `Cart#12`. */
  readonly name: string;
  readonly className: string;
  readonly worker: number;
  /**
   * The actor's object; undefined before it is constructed and after the actor was stopped. Private fields are
   * properties: `state['#items']`.
   */
  readonly state: object | undefined;
  readonly turns: number;
  readonly mailbox: MailboxView;
  readonly timers: readonly object[];
  /** The actor's objects to which others have references. */
  readonly lent: readonly object[];
  /** The actor's promises that others will settle. */
  readonly eventuals: readonly object[];
  /** Why messages can no longer reach the actor; undefined if they can. */
  readonly failure: unknown;
  /** Number of bytes that the snapshot contains for this actor. */
  readonly bytes: number;
  /** Number of bytes in the snapshot that only this actor holds, including its waiting messages. */
  readonly retained: number;
}

/** A module of the program on one worker, in a snapshot. */
export interface ModuleView extends InertModule {
  readonly worker: number;
  /** Number of bytes in the snapshot that only the module's variables hold. */
  readonly retained: number;
}

/** A class in a snapshot, with the number and size of its objects. */
export interface ClassView {
  readonly name: string;
  /** File that defines the class; undefined for a class that is not of the program. */
  readonly module: string | undefined;
  readonly count: number;
  /** Number of bytes of the objects themselves. */
  readonly bytes: number;
  /** Number of bytes that only the objects hold, including their own. */
  readonly retained: number;
}

/** A thread in a snapshot. */
export interface WorkerView {
  /** Number of the worker; 0 is the main thread. */
  readonly worker: number;
  readonly turns: number;
  /** Promises and timers outside of actors: of the main program or, on other workers, of modules. */
  readonly main: ActorView | undefined;
  readonly actors: readonly ActorView[];
  readonly modules: readonly ModuleView[];
  readonly messagesWaiting: number;
  readonly bytes: number;
  /** Number of bytes that belong to no single actor: state of modules, and tables of the runtime. */
  readonly baseBytes: number;
}

/** A message in flight from one worker to another. */
export interface UnderWayView extends InertMessage {
  readonly from: number;
  readonly worker: number;
  /** Name of the receiving actor. */
  readonly to: string | undefined;
}

export interface WorkerSnapshotBytes {
  readonly worker: number;
  readonly bytes: Uint8Array;
}

export interface ViewOptions {
  readonly phase: number;
  readonly taken: Date;
  readonly sources: InertSources;
  /** Directory of the recorded process. Paths below it are shown relative to it. */
  readonly cwd: string;
}

/** A snapshot as data, which `app.query` and `turntable inspect --eval` pass to a function. */
export class SnapshotView {
  readonly phase: number;
  readonly taken: Date;
  readonly workers: readonly WorkerView[];
  readonly actors: readonly ActorView[];
  readonly modules: readonly ModuleView[];
  /** Messages in flight between workers. */
  readonly underWay: readonly UnderWayView[];
  readonly #cwd: string;
  readonly #byName = new Map<string | number, ActorView>();
  readonly #holders: Holder[] = [];
  readonly #sizes = new ObjectSizes();
  #retained: Float64Array | undefined;
  #graph: ObjectGraph | undefined;
  #classes: readonly ClassView[] | undefined;
  readonly #classNames: ClassName[] = [];
  readonly #byPrototype = new Map<object | null, ClassName>();

  constructor(parts: readonly WorkerSnapshotBytes[], { phase, taken, sources, cwd }: ViewOptions) {
    this.phase = phase;
    this.taken = taken;
    this.#cwd = cwd.endsWith('/') ? cwd : `${cwd}/`;
    const views = parts.map((part) => this.#readPart(part, sources));
    this.workers = views.map(({ view }) => view);
    this.actors = this.workers.flatMap(({ actors }) => actors);
    this.modules = this.workers.flatMap(({ modules }) => modules);
    for (const actor of this.actors) this.#byName.set(actor.name, actor).set(actor.id, actor);
    this.underWay = views.flatMap(({ view: { worker }, inert }) =>
      inert.inFlight.map(({ to, ...message }) => ({ ...message, worker, to: this.#byName.get(to)?.name })),
    );
  }

  /** All classes with the sizes of their objects, the class that retains most first. */
  get classes(): readonly ClassView[] {
    return (this.#classes ??= this.#findClasses());
  }

  /** Finds an actor by its name or by a reference; undefined if there is none. */
  actor(which: string | { readonly id: number }): ActorView | undefined {
    return this.#byName.get(typeof which === 'string' ? which : which.id);
  }

  actorsOf(className: string): readonly ActorView[] {
    return this.actors.filter((actor) => actor.className === className);
  }

  /** All objects whose class has exactly this name. Objects of subclasses are not included. */
  instancesOf(className: string): readonly object[] {
    return this.#objectGraph.objects.filter((object) => this.#classNameOf(object).name === className);
  }

  /** A short path that leads to an object: `Cart#12.items[3]`, `src/shop.ts carts`; undefined if none does. */
  pathTo(object: object): string | undefined {
    return this.#objectGraph.pathTo(object);
  }

  /** Number of bytes of an object in the snapshot, excluding objects that it refers to. */
  sizeOf(object: object): number {
    return this.#sizes.bytesOf(object);
  }

  /** Number of bytes that would be freed with an object. */
  retainedBy(object: object): number {
    return this.#objectGraph.retainedSize(object);
  }

  get #objectGraph(): ObjectGraph {
    return (this.#graph ??= new ObjectGraph(this.#holders, this.#sizes, types));
  }

  #readPart(
    { worker, bytes }: WorkerSnapshotBytes,
    sources: InertSources,
  ): { readonly view: WorkerView; readonly inert: InertWorker } {
    const { modules, base, baseBytes, pieces, changes } = readInertState(
      bytes,
      sources,
      [inertRuntimeObjects()],
      this.#sizes,
    );
    const inert = inertActors(pieces);
    const all = inert.actors.map((actor) => this.#actorView(actor, worker, inert.inFlight));
    const main = all.find(({ id }) => id === worker);
    const actors = all.filter((actor) => actor !== main).toSorted((a, b) => a.id - b.id);
    const moduleViews = modules.map((module) => this.#moduleView(module, worker));
    const { tables, tablesBytes } = inert;
    this.#addHolder({
      name: worker === 0 ? 'main thread' : `worker ${worker}`,
      references: [
        ...pathSteps(base),
        [' tables', tables],
        ...changes.flatMap(({ object: owner, properties }) =>
          pathSteps(properties, ` ${(owner as { name?: string }).name ?? 'an object'}.`),
        ),
      ],
    });
    const messagesWaiting = actors.reduce((sum, { mailbox }) => sum + mailbox.waiting, 0);
    const view: WorkerView = {
      worker,
      turns: inert.turns,
      main,
      actors,
      modules: moduleViews,
      messagesWaiting,
      bytes: bytes.length,
      baseBytes: baseBytes + tablesBytes,
    };
    return { view, inert };
  }

  #moduleView(module: InertModule, worker: number): ModuleView {
    const { url, exports, variables } = module;
    const holder: Holder = {
      name: this.#fileName(url),
      references: pathSteps({ ...exports, ...variables }),
      standIn: module,
    };
    const retained = this.#addHolder(holder);
    return {
      ...module,
      worker,
      get retained() {
        return retained();
      },
    };
  }

  #actorView(actor: InertActor, worker: number, underWay: InertWorker['inFlight']): ActorView {
    const { id, name, root, turns, messages, timers, lent, eventuals, failure, bytes } = actor;
    const inFlight = underWay.filter(({ to }) => to === id);
    const holder: Holder = {
      name,
      references: [
        ['', root],
        ...messages.map(({ method, args }, i) => [` message #${i} ${method}`, args] as const),
        ...inFlight.map(({ method, args }) => [` message under way ${method}`, args] as const),
        ...timers.map((timer, i) => [` timer #${i}`, timer] as const),
        ...lent.map((object, i) => [` lent #${i}`, object] as const),
        ...eventuals.map((eventual, i) => [` promise #${i}`, eventual] as const),
        [' failure', failure],
      ],
    };
    const retained = this.#addHolder(holder);
    const methods: Record<string, number> = {};
    for (const { method } of messages) methods[method] = (methods[method] ?? 0) + 1;
    return {
      id,
      name,
      className: root === undefined ? (name.split('#')[0] ?? name) : this.#classNameOf(root).name,
      worker,
      state: root,
      turns,
      mailbox: { waiting: messages.length, methods, messages },
      timers,
      lent,
      eventuals,
      failure,
      bytes,
      get retained() {
        return retained();
      },
    };
  }

  /** Adds a holder of objects; returns a function that computes its retained size. */
  #addHolder(holder: Holder): () => number {
    const index = this.#holders.push(holder) - 1;
    return () => (this.#retained ??= this.#objectGraph.retainedSizesOfHolders())[index] as number;
  }

  #findClasses(): ClassView[] {
    const { objects } = this.#objectGraph;
    const classOf = new Uint32Array(objects.length);
    const counts: number[] = [];
    const bytes: number[] = [];
    objects.forEach((object, i) => {
      const { index } = this.#classNameOf(object);
      classOf[i] = index;
      counts[index] = (counts[index] ?? 0) + 1;
      bytes[index] = (bytes[index] ?? 0) + this.#sizes.bytesOf(object);
    });
    const classes = this.#classNames;
    const retained = this.#objectGraph.retainedSizesOfSets(classOf, classes.length);
    return classes
      .flatMap(({ name, module, index }): ClassView[] => {
        const count = counts[index] ?? 0;
        return count === 0 ? [] : [{ name, module, count, bytes: bytes[index] ?? 0, retained: retained[index] ?? 0 }];
      })
      .toSorted((a, b) => b.retained - a.retained || b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  }

  /** The class of an object. Prototypes of one class on several workers give the same entry. */
  #classNameOf(object: object): ClassName {
    const prototype = Reflect.getPrototypeOf(object);
    let found = this.#byPrototype.get(prototype);
    if (found === undefined) {
      const name = prototype === null ? 'null prototype' : constructorName(prototype);
      const file = prototype === null ? undefined : classOfPrototype(prototype)?.file;
      const module = file === undefined ? undefined : this.#fileName(file);
      found = this.#classNames.find((each) => each.name === name && each.module === module);
      if (found === undefined) this.#classNames.push((found = { name, module, index: this.#classNames.length }));
      this.#byPrototype.set(prototype, found);
    }
    return found;
  }

  #fileName(url: string): string {
    const path = url.startsWith('file://') ? decodeURIComponent(url.slice('file://'.length)) : url;
    return path.startsWith(this.#cwd) ? path.slice(this.#cwd.length) : path;
  }
}

interface ClassName {
  readonly index: number;
  readonly name: string;
  readonly module: string | undefined;
}

function constructorName(prototype: object): string {
  for (let each: object | null = prototype; each !== null; each = Reflect.getPrototypeOf(each)) {
    const type: unknown = Reflect.getOwnPropertyDescriptor(each, 'constructor')?.value;
    const name: unknown =
      typeof type === 'function' ? Reflect.getOwnPropertyDescriptor(type, 'name')?.value : undefined;
    if (typeof name === 'string' && name !== '') return name;
  }
  return 'Object';
}

function pathSteps(values: Readonly<Record<string, unknown>>, prefix = ' '): (readonly [string, unknown])[] {
  return Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value] as const);
}
