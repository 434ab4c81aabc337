// Hand-written step functions over a minimal eventual, in variants of the job queue, against native.
// Run: node bench/prototype/async.mjs
function makeKernel(layout, catching) {
  let head = 0,
    tail = 0,
    mask = 1023,
    anchored = false;
  let ring = new Array(1024 * 3).fill(undefined);
  let objects = new Array(1024).fill(undefined);
  class Frame {
    constructor(step) {
      this.step = step;
      this.pc = 0;
      this.result = undefined;
      this.kind = 0;
      this.context = undefined;
      this.s0 = this.s1 = this.s2 = this.s3 = this.s4 = this.s5 = this.s6 = this.s7 = undefined;
      this.more = undefined;
    }
  }
  function Alloc() {}
  function Identity(o) {
    return o;
  }
  class Eventual extends Identity {
    #state = 0;
    #value = undefined;
    #reactions = undefined;
    #handled = false;
    constructor(o) {
      super(o);
    }
    static add(p, F) {
      const s = p.#state;
      if (s === 0) p.#reactions = p.#reactions === undefined ? F : [p.#reactions, F];
      else enqueue(F, s - 1, p.#value);
      p.#handled = true;
    }
    static settle(p, s, v) {
      const r = p.#reactions;
      p.#state = s;
      p.#value = v;
      p.#reactions = undefined;
      if (r === undefined) return;
      if (Array.isArray(r)) for (const x of r) enqueue(x, s - 1, v);
      else enqueue(r, s - 1, v);
    }
    static is(p) {
      return #state in p;
    }
  }
  Alloc.prototype = Eventual.prototype;
  const P = Eventual;
  function grow() {
    throw new Error('full');
  }
  const enqueue =
    layout === 'ring'
      ? function (F, kind, v) {
          const at = (tail & mask) * 3;
          ring[at] = F;
          ring[at + 1] = kind;
          ring[at + 2] = v;
          tail++;
          if (tail - head > mask) grow();
          if (!anchored) anchor();
        }
      : function (F, kind, v) {
          objects[tail++ & mask] = { F, kind, v };
          if (!anchored) anchor();
        };
  function anchor() {
    anchored = true;
    queueMicrotask(drain);
  }
  const drain =
    layout === 'ring'
      ? function () {
          while (head !== tail) {
            const at = (head & mask) * 3;
            const F = ring[at],
              kind = ring[at + 1],
              v = ring[at + 2];
            ring[at] = undefined;
            ring[at + 2] = undefined;
            head++;
            run(F, v, kind);
          }
          anchored = false;
        }
      : function () {
          while (head !== tail) {
            const j = objects[head & mask];
            objects[head++ & mask] = undefined;
            run(j.F, j.v, j.kind);
          }
          anchored = false;
        };
  function run(F, v, t) {
    let r;
    try {
      r = F.step(F, v, t);
    } catch (e) {
      F.pc = -1;
      Eventual.settle(F.result, 2, e);
      return;
    }
    if (F.pc > 0) return;
    F.pc = -1;
    if (typeof r === 'object' && r !== null) throw new Error('slow');
    Eventual.settle(F.result, 1, r);
  }
  return {
    Frame,
    async(F) {
      const p = (F.result = new Eventual(new Alloc()));
      run(F, undefined, 0);
      return p;
    },
    await(F, k, v) {
      if (typeof v === 'object' && v !== null && Eventual.is(v) && v.constructor === P) {
        F.pc = k;
        Eventual.add(v, F);
        return;
      }
      F.pc = k;
      enqueue(F, 0, v);
    },
  };
}
function programs($$R) {
  const { Frame } = $$R;
  // async function leaf(x) { return x + 1 }
  function leaf$s($F) {
    $F.pc = 0;
    return $F.s0 + 1;
  }
  function leaf(x) {
    const F = new Frame(leaf$s);
    F.s0 = x;
    return $$R.async(F);
  }
  // async function calls(n) { let s = 0; for (let i = 0; i < n; i++) s += await leaf(i); return s }
  function calls$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    let n = $F.s0,
      s = $F.s1,
      i = $F.s2;
    for (;;) {
      switch ($pc) {
        case 0:
          s = 0;
          i = 0;
        case 2:
          if (!(i < n)) return s;
          $F.s0 = n;
          $F.s1 = s;
          $F.s2 = i;
          return $$R.await($F, 1, leaf(i));
        case 1:
          if ($t === 1) throw $v;
          s = s + $v;
          i++;
          $pc = 2;
          continue;
      }
    }
  }
  function calls(n) {
    const F = new Frame(calls$s);
    F.s0 = n;
    return $$R.async(F);
  }
  // async function tree(d) { if (d === 0) return 1; const a = await tree(d-1); return a + await tree(d-1) }
  function tree$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    switch ($pc) {
      case 0: {
        const d = $F.s0;
        if (d === 0) return 1;
        return $$R.await($F, 1, tree(d - 1));
      }
      case 1:
        if ($t === 1) throw $v;
        $F.s1 = $v;
        return $$R.await($F, 2, tree($F.s0 - 1));
      case 2:
        if ($t === 1) throw $v;
        return $F.s1 + $v;
    }
  }
  function tree(d) {
    const F = new Frame(tree$s);
    F.s0 = d;
    return $$R.async(F);
  }
  function prim$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    let n = $F.s0,
      s = $F.s1,
      i = $F.s2;
    for (;;)
      switch ($pc) {
        case 0:
          s = 0;
          i = 0;
        case 2:
          if (!(i < n)) return s;
          $F.s0 = n;
          $F.s1 = s;
          $F.s2 = i;
          return $$R.await($F, 1, i);
        case 1:
          if ($t === 1) throw $v;
          s = s + $v;
          i++;
          $pc = 2;
          continue;
      }
  }
  function prim(n) {
    const F = new Frame(prim$s);
    F.s0 = n;
    return $$R.async(F);
  }
  function hot$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    switch ($pc) {
      case 0:
        return $$R.await($F, 1, 1);
      case 1: {
        if ($t === 1) throw $v;
        const n = $F.s0;
        let x = $v;
        for (let i = 0; i < n; i++) x = (x * 31 + i) & 0xffffff;
        return x;
      }
    }
  }
  function hot(n) {
    const F = new Frame(hot$s);
    F.s0 = n;
    return $$R.async(F);
  }
  const done = (p, then) => {
    const F = new Frame(done$s);
    F.s0 = p;
    F.s1 = then;
    $$R.async(F);
  };
  function done$s($F, $v) {
    let $pc = $F.pc;
    $F.pc = 0;
    if ($pc === 0) return $$R.await($F, 1, $F.s0);
    $F.s1($v);
  }
  return { calls, tree, prim, hot, done };
}
const native = {
  calls: async function calls(n) {
    let s = 0;
    for (let i = 0; i < n; i++) s += await nleaf(i);
    return s;
  },
  tree: async function tree(d) {
    if (d === 0) return 1;
    const a = await tree(d - 1);
    return a + (await tree(d - 1));
  },
  prim: async function (n) {
    let s = 0;
    for (let i = 0; i < n; i++) s += await i;
    return s;
  },
  hot: async function (n) {
    let x = await 1;
    for (let i = 0; i < n; i++) x = (x * 31 + i) & 0xffffff;
    return x;
  },
  done: (p, then) => {
    p.then(then);
  },
};
async function nleaf(x) {
  return x + 1;
}
const kinds = {
  native,
  control: { ...native },
  ring: programs(makeKernel('ring')),
  objects: programs(makeKernel('objects')),
};
const tests = { calls: 100_000, prim: 200_000, tree: 14, hot: 3_000_000 };
const times = {};
for (let r = 0; r < 21; r++)
  for (const t in tests)
    for (const k in kinds) {
      const s = process.hrtime.bigint();
      await new Promise((d) => kinds[k].done(kinds[k][t](tests[t]), d));
      ((times[t] ??= {})[k] ??= []).push(Number(process.hrtime.bigint() - s) / 1e6);
    }
for (const t in tests) {
  const m = (k) => times[t][k].sort((a, b) => a - b)[10];
  console.log(
    t.padEnd(8),
    Object.keys(kinds)
      .map((k) => `${k} ${m(k).toFixed(2)} (${(m(k) / m('native')).toFixed(2)})`)
      .join('   '),
  );
}
