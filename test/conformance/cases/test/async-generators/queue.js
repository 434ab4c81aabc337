/*---
description: Requests are answered in order; return awaits its value; a finished generator stays so
flags: [async]
---*/
test(async () => {
  async function* g() { const a = yield 1; yield a; return Promise.resolve('end'); }
  const it = g();
  const results = await Promise.all([it.next(), it.next('a'), it.next(), it.next(), it.return(Promise.resolve('late'))]);
  assert.list(results.map((r) => `${r.value} ${r.done}`), ['1 false', 'a false', 'end true', 'undefined true', 'late true']);
  const rejecting = g();
  let error;
  await rejecting.return(Promise.reject(new RangeError('r'))).catch((e) => { error = e; });
  assert.same(error.constructor, RangeError);
  async function* y() { try { yield Promise.reject(new SyntaxError('y')); } catch (e) { yield e.name; } }
  assert.same((await y().next()).value, 'SyntaxError');
  await g.prototype.next.call({}).then(() => assert(false), (e) => assert.same(e.constructor, TypeError));
});
