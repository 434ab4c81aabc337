/*---
description: Errors in parameters of async functions reject, of async generators throw
flags: [async]
---*/
test(async () => {
  async function f({ a }) {}
  let p = f();
  assert(p instanceof Promise, 'no throw');
  let error;
  await p.catch((e) => { error = e; });
  assert.same(error.constructor, TypeError);
  async function* g({ a }) {}
  assert.throws(TypeError, () => g());
  const arrow = async (a = b, b) => {};
  await arrow().catch((e) => { error = e; });
  assert.same(error.constructor, ReferenceError);
});
