/*---
description: await of a promise whose constructor is poisoned throws into the function
flags: [async]
---*/
test(async () => {
  const p = Promise.resolve();
  Object.defineProperty(p, 'constructor', { get() { throw new RangeError('poisoned'); } });
  let caught;
  try { await p; } catch (e) { caught = e; }
  assert.same(caught.constructor, RangeError);
  const thenable = { get then() { throw new SyntaxError('then'); } };
  try { await thenable; } catch (e) { caught = e; }
  assert.same(caught.constructor, SyntaxError);
  class P extends Promise { then(...args) { P.used = true; return super.then(...args); } }
  assert.same(await new P((r) => r(3)), 3);
  assert(P.used, 'a subclass is adopted through its then');
});
