/*---
description: yield* over a synchronous iterable awaits its values and closes it when one rejects
flags: [async]
---*/
test(async () => {
  const log = [];
  const source = { [Symbol.iterator]: () => ({ i: 0, next() { return { value: this.i++ ? Promise.reject(new RangeError('element')) : Promise.resolve('ok'), done: false }; }, return() { log.push('closed'); return {}; } }) };
  async function* g() { yield* source; }
  const it = g();
  assert.same((await it.next()).value, 'ok');
  await it.next().then(() => assert(false), (e) => assert.same(e.constructor, RangeError));
  assert.list(log, ['closed']);
});
