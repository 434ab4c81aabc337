/*---
description: The name inside an async function expression cannot be assigned
flags: [noStrict, async]
---*/
test(async () => {
  const f = async function g() { g = 1; await null; g = 2; return g; };
  assert.same(await f(), f);
  const strict = async function g() { 'use strict'; await null; g = 1; };
  let error;
  try { await strict(); } catch (e) { error = e; }
  assert.same(error.constructor, TypeError);
  const asyncGenerator = async function* g() { (() => { g = 1; })(); yield g; };
  assert.same((await asyncGenerator().next()).value, asyncGenerator);
});
