// The measured programs, each native and hand-compiled to what the transform emits (docs/internals/abi.md).
async function nativeLeaf(x) {
  return x + 1;
}

export const native = {
  async calls(n) {
    let s = 0;
    for (let i = 0; i < n; i++) s += await nativeLeaf(i);
    return s;
  },
  async primitives(n) {
    let s = 0;
    for (let i = 0; i < n; i++) s += await i;
    return s;
  },
  async tree(depth) {
    if (depth === 0) return 1;
    const left = await native.tree(depth - 1);
    return left + (await native.tree(depth - 1));
  },
  async hot(n) {
    let x = await 1;
    for (let i = 0; i < n; i++) x = (x * 31 + i) & 0xffffff;
    return x;
  },
  async forOf(n) {
    let s = 0;
    for (let round = 0; round < n; round++) for (const x of nativeRange(100)) s += x;
    return s;
  },
  async next(n) {
    let s = 0;
    for (let round = 0; round < n; round++) {
      const it = nativeRange(100);
      for (let r = it.next(); !r.done; r = it.next()) s += r.value;
    }
    return s;
  },
  async walk(n) {
    let s = 0;
    for (let round = 0; round < n; round++) for (const x of nativeWalk(7)) s += x;
    return s;
  },
  async asyncIteration(n) {
    let s = 0;
    for await (const x of nativeAsyncRange(n)) s += x;
    return s;
  },
  async then(n) {
    let p = Promise.resolve(0);
    for (let i = 0; i < n; i++) p = p.then((x) => x + 1);
    return p;
  },
  async constructor(n) {
    let s = 0;
    for (let i = 0; i < n; i++) s += await new Promise((resolve) => resolve(i));
    return s;
  },
};
function* nativeRange(n) {
  for (let i = 0; i < n; i++) yield i;
}
function* nativeWalk(depth) {
  if (depth > 0) yield* nativeWalk(depth - 1);
  yield depth;
  if (depth > 0) yield* nativeWalk(depth - 1);
}
async function* nativeAsyncRange(n) {
  for (let i = 0; i < n; i++) yield i;
}

export const sizes = {
  calls: 50_000,
  primitives: 50_000,
  tree: 13,
  hot: 2_000_000,
  forOf: 1000,
  next: 1000,
  walk: 20,
  asyncIteration: 10_000,
  then: 20_000,
  constructor: 20_000,
};

/** The hand-compiled programs, bound to a realm. */
export function transformed($$R) {
  const { Frame } = $$R;

  function leaf$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    return $F.s0 + 1;
  }
  function leaf(x) {
    const $F = new Frame(leaf$s);
    $F.s0 = x;
    return $$R.async($F);
  }

  function calls$s($F, $v, $t) {
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
          return $$R.await($F, 1, leaf(i));
        case 1:
          if ($t === 1) throw $v;
          s = s + $v;
          i++;
          $pc = 2;
      }
  }
  function primitives$s($F, $v, $t) {
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
      }
  }
  function tree$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    let depth = $F.s0,
      left = $F.s1;
    switch ($pc) {
      case 0:
        if (depth === 0) return 1;
        $F.s0 = depth;
        return $$R.await($F, 1, tree(depth - 1));
      case 1:
        if ($t === 1) throw $v;
        $F.s1 = $v;
        return $$R.await($F, 2, tree(depth - 1));
      case 2:
        if ($t === 1) throw $v;
        return left + $v;
    }
  }
  function tree(depth) {
    const $F = new Frame(tree$s);
    $F.s0 = depth;
    return $$R.async($F);
  }
  function hot$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    let n = $F.s0;
    switch ($pc) {
      case 0:
        return $$R.await($F, 1, 1);
      case 1: {
        if ($t === 1) throw $v;
        let x = $v;
        for (let i = 0; i < n; i++) x = (x * 31 + i) & 0xffffff;
        return x;
      }
    }
  }

  function range$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    let n = $F.s0,
      i = $F.s1;
    for (;;)
      switch ($pc) {
        case 0:
          i = 0;
        case 2:
          if (!(i < n)) return { value: undefined, done: true };
          $F.s0 = n;
          $F.s1 = i;
          $F.pc = 1;
          return { value: i, done: false };
        case 1:
          if ($t !== 0) {
            if ($t === 1) throw $v;
            return { value: $v, done: true };
          }
          i++;
          $pc = 2;
      }
  }
  const range = $$R.generatorFunction(
    {
      range(n) {
        const $F = new Frame(range$s);
        $F.s0 = n;
        return $$R.generator($F, range.prototype);
      },
    }.range,
    $$R.generatorPrototype(),
  );

  function walk$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    let depth = $F.s0;
    for (;;)
      switch ($pc) {
        case 0:
          if (!(depth > 0)) {
            $pc = 2;
            continue;
          }
          $F.s1 = new $$R.Delegate(walk(depth - 1));
          $v = undefined;
          $t = 0;
        case 1: {
          const r = $$R.delegate($F, 1, $F.s1, $v, $t);
          if ($F.pc > 0) return r;
          if ($F.s1.returning) return { value: $F.s1.value, done: true };
        }
        case 2:
          $F.pc = 3;
          return { value: depth, done: false };
        case 3:
          if ($t !== 0) {
            if ($t === 1) throw $v;
            return { value: $v, done: true };
          }
          if (!(depth > 0)) return { value: undefined, done: true };
          $F.s1 = new $$R.Delegate(walk(depth - 1));
          $v = undefined;
          $t = 0;
        case 4: {
          const r = $$R.delegate($F, 4, $F.s1, $v, $t);
          if ($F.pc > 0) return r;
          return { value: $F.s1.returning ? $F.s1.value : undefined, done: true };
        }
      }
  }
  const walk = $$R.generatorFunction(
    {
      walk(depth) {
        const $F = new Frame(walk$s);
        $F.s0 = depth;
        return $$R.generator($F, walk.prototype);
      },
    }.walk,
    $$R.generatorPrototype(),
  );

  function asyncRange$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    let n = $F.s0,
      i = $F.s1;
    for (;;)
      switch ($pc) {
        case 0:
          i = 0;
        case 2:
          if (!(i < n)) return undefined;
          $F.s0 = n;
          $F.s1 = i;
          return $$R.await($F, 1, i);
        case 1:
          if ($t === 1) throw $v;
          return $$R.yieldAsync($F, 3, $v);
        case 3:
          if ($t !== 0) {
            if ($t === 1) throw $v;
            return $v;
          }
          i++;
          $pc = 2;
      }
  }
  const asyncRange = $$R.asyncGeneratorFunction(
    {
      asyncRange(n) {
        const $F = new Frame(asyncRange$s);
        $F.s0 = n;
        return $$R.asyncGenerator($F, asyncRange.prototype);
      },
    }.asyncRange,
    $$R.asyncGeneratorPrototype(),
  );

  function asyncIteration$s($F, $v, $t) {
    let $pc = $F.pc;
    $F.pc = 0;
    for (;;)
      switch ($pc) {
        case 0:
          $F.s1 = 0;
          $F.s2 = $$R.asyncIterator(asyncRange($F.s0));
        case 2:
          return $$R.await($F, 1, $F.s2.next.call($F.s2.iterator));
        case 1: {
          if ($t === 1) throw $v;
          if ($v.done) return $F.s1;
          $F.s1 += $v.value;
          $pc = 2;
        }
      }
  }
  function then$s($F, $v, $t) {
    $F.pc = 0;
    const n = $F.s0;
    let p = $$R.ambient.Promise.resolve(0);
    for (let i = 0; i < n; i++) p = p.then((x) => x + 1);
    return p;
  }
  function constructor$s($F, $v, $t) {
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
          return $$R.await($F, 1, new $$R.ambient.Promise((resolve) => resolve(i)));
        case 1:
          if ($t === 1) throw $v;
          s = s + $v;
          i++;
          $pc = 2;
      }
  }
  function forOf$s($F, $v, $t) {
    $F.pc = 0;
    const n = $F.s0;
    let s = 0;
    for (let round = 0; round < n; round++) for (const x of range(100)) s += x;
    return s;
  }
  function next$s($F, $v, $t) {
    $F.pc = 0;
    const n = $F.s0;
    let s = 0;
    for (let round = 0; round < n; round++) {
      const it = range(100);
      for (let r = it.next(); !r.done; r = it.next()) s += r.value;
    }
    return s;
  }
  function walking$s($F, $v, $t) {
    $F.pc = 0;
    const n = $F.s0;
    let s = 0;
    for (let round = 0; round < n; round++) for (const x of walk(7)) s += x;
    return s;
  }
  const of = (step) => (n) => {
    const $F = new Frame(step);
    $F.s0 = n;
    return $$R.async($F);
  };
  return {
    calls: of(calls$s),
    primitives: of(primitives$s),
    tree,
    hot: of(hot$s),
    forOf: of(forOf$s),
    next: of(next$s),
    walk: of(walking$s),
    asyncIteration: of(asyncIteration$s),
    then: of(then$s),
    constructor: of(constructor$s),
  };
}
