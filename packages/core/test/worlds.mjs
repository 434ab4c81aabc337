// Two worlds to run the same program in: Node's own promises, ticks and async functions, and a realm's.
// `co(list)` is an async function that awaits each function's result in turn: natively written as such, over a realm as the
// step function the transform would make of it.
import { createRealm } from '@turntable/core';

export function nativeWorld() {
  return {
    Promise,
    queueMicrotask,
    nextTick: process.nextTick,
    co: async (list) => {
      let last;
      for (const each of list) last = await each(last);
      return last;
    },
    generate: async function* (list) {
      for (const each of list) yield await each();
    },
  };
}

export function realmWorld(host) {
  const realm = createRealm(host);
  function co$s($F, $v, $t) {
    const $pc = $F.pc;
    $F.pc = 0;
    if ($pc === 1) {
      if ($t === 1) throw $v;
      $F.s2 = $v;
      $F.s1++;
    } else $F.s1 = 0;
    if ($F.s1 === $F.s0.length) return $F.s2;
    return realm.await($F, 1, $F.s0[$F.s1]($F.s2));
  }
  function generate$s($F, $v, $t) {
    const $pc = $F.pc;
    $F.pc = 0;
    switch ($pc) {
      case 0:
        $F.s1 = -1;
        $t = 0;
      case 3:
        if ($t === 1) throw $v;
        if ($t === 2) return $v;
        if (++$F.s1 === $F.s0.length) return undefined;
        return realm.await($F, 1, $F.s0[$F.s1]());
      case 1:
        // `yield` awaits its operand once more.
        if ($t === 1) throw $v;
        return realm.await($F, 2, $v);
      case 2:
        if ($t === 1) throw $v;
        return realm.yieldAsync($F, 3, $v);
    }
  }
  const frame = (step, list) => {
    const $F = new realm.Frame(step);
    $F.s0 = list;
    return $F;
  };
  return {
    Promise: realm.Promise,
    queueMicrotask: realm.ambient.queueMicrotask,
    nextTick: realm.nextTick,
    co: (list) => realm.async(frame(co$s, list)),
    generate: (list) => realm.asyncGenerator(frame(generate$s, list), undefined),
    realm,
  };
}
