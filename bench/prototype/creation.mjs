// Cost of creating eventuals, generator objects and async closures in each candidate layout.
// Run: node bench/prototype/creation.mjs
const N = 200_000;
const sink = [0, 1, 2, 3];

class Eventual {
  #state = 0;
  #value = undefined;
  #reactions = undefined;
  #handled = false;
  constructor() {}
  then() {
    return this.#state;
  }
}
function FastPromise() {}
function Return() {
  return new FastPromise();
}
class Stamped extends Return {
  #state = 0;
  #value = undefined;
  #reactions = undefined;
  #handled = false;
  static state(o) {
    return o.#state;
  }
}
class Public extends null {
  constructor(executor) {
    if (typeof executor !== 'function') throw new TypeError('');
    return Reflect.construct(Eventual, [], new.target);
  }
}
Object.setPrototypeOf(Public.prototype, Object.prototype);
FastPromise.prototype = Public.prototype;
class State {
  state = 0;
  value = undefined;
  reactions = undefined;
  handled = false;
}
class Shell {
  #s = new State();
  static of(o) {
    return o.#s;
  }
}
class Plain {
  state = 0;
  value = undefined;
  reactions = undefined;
  handled = false;
}

const EMPTY = [];
const eventuals = {
  'plain fields': () => new Plain(),
  'private fields': () => new Eventual(),
  'private fields, Reflect.construct(new.target)': () => Reflect.construct(Eventual, EMPTY, Public),
  'private fields stamped on another constructor': () => new Stamped(),
  'one private field to a state object': () => new Shell(),
  'native Promise.withResolvers-free: new Promise(noop)': () => new Promise(noop),
};
function noop() {}

// Generator objects with a given prototype.
const GP = { next() {} };
const protos = Array.from({ length: 6 }, () => Object.create(GP));
class Gen {
  #frame;
  constructor(F) {
    this.#frame = F;
  }
  static f(o) {
    return o.#frame;
  }
}
function Identity(o) {
  return o;
}
class GenStamp extends Identity {
  #frame;
  constructor(o, F) {
    super(o);
    this.#frame = F;
  }
  static f(o) {
    return o.#frame;
  }
}
const makers = new Map(
  protos.map((p) => {
    function M() {}
    M.prototype = p;
    return [p, M];
  }),
);
class Frame {
  constructor(step) {
    this.step = step;
    this.pc = 0;
    this.result = null;
    this.s0 = this.s1 = this.s2 = this.s3 = this.s4 = this.s5 = this.s6 = this.s7 = undefined;
    this.more = undefined;
  }
}
class Frame2 {
  constructor(step) {
    this.step = step;
    this.pc = 0;
    this.result = null;
    this.s0 = this.s1 = undefined;
    this.more = undefined;
  }
}
const step = function () {};
step.maker = makers.get(protos[0]);
function* native() {
  yield 1;
}
let pi = 0;
const perProtoConstruct = new Map(
  protos.map((p) => {
    class M extends Gen {}
    const m = function () {};
    m.prototype = p;
    return [p, m];
  }),
);
const generators = {
  'native generator call': () => native(),
  'setPrototypeOf(new Gen(F))': () => Object.setPrototypeOf(new Gen(new Frame(step)), protos[0]),
  'Object.create + stamp': () => new GenStamp(Object.create(protos[0]), new Frame(step)),
  'Object.create + stamp, 6 prototypes': () => new GenStamp(Object.create(protos[pi++ % 6]), new Frame(step)),
  'stamp on {__proto__}': () => new GenStamp({ __proto__: protos[0] }, new Frame(step)),
  'maker on step + stamp': () => new GenStamp(new step.maker(), new Frame(step)),
  'Reflect.construct(Gen, [F], maker)': () =>
    Reflect.construct(Gen, [new Frame(step)], perProtoConstruct.get(protos[0])),
  'Reflect.construct(Gen, [F], maker), 6 prototypes': () =>
    Reflect.construct(Gen, [new Frame(step)], perProtoConstruct.get(protos[pi++ % 6])),
};
const AF = Object.getPrototypeOf(async function () {});
const closures = {
  'plain closure': (i) => {
    const f = () => i;
    return f;
  },
  'native async closure': (i) => {
    const f = async () => i;
    return f;
  },
  'closure + setPrototypeOf': (i) => {
    const f = () => i;
    return Object.setPrototypeOf(f, AF);
  },
  'closure + Reflect.setPrototypeOf': (i) => {
    const f = () => i;
    Reflect.setPrototypeOf(f, AF);
    return f;
  },
  'closure + __proto__ =': (i) => {
    const f = () => i;
    f.__proto__ = AF;
    return f;
  },
  'closure + setPrototypeOf in one shared helper': (i) => proto(() => i),
  'closure + called': (i) => {
    const f = () => i;
    return f();
  },
  'native async closure': (i) => {
    const f = async () => i;
    return f;
  },
  'closure + setPrototypeOf + called': (i) => {
    const f = () => i;
    Object.setPrototypeOf(f, AF);
    return f();
  },
};
function proto(f) {
  Object.setPrototypeOf(f, AF);
  return f;
}
const frames = {
  'Frame with 8 slots': () => new Frame(step),
  'Frame with 2 slots': () => new Frame2(step),
};
function median(xs) {
  xs.sort((a, b) => a - b);
  return xs[xs.length >> 1];
}
for (const [title, group] of Object.entries({ eventuals, generators, closures, frames })) {
  const names = Object.keys(group),
    times = Object.fromEntries(names.map((n) => [n, []]));
  const loops = Object.fromEntries(
    names.map((n) => [
      n,
      new Function('make', 'sink', `return function(N){ for (let i = 0; i < N; i++) sink[i & 3] = make(i); }`)(
        group[n],
        sink,
      ),
    ]),
  );
  for (let r = 0; r < 15; r++)
    for (const n of names) {
      const t = process.hrtime.bigint();
      loops[n](N);
      times[n].push(Number(process.hrtime.bigint() - t) / N);
    }
  console.log('\n' + title);
  for (const n of names) console.log(median(times[n]).toFixed(1).padStart(8), 'ns ', n);
}
