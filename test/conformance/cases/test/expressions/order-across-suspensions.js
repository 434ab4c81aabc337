/*---
description: Operands evaluated before a suspension keep their values and order
flags: [async]
---*/
test(async () => {
  let x = 1;
  const o = { a: 1, get g() { return this.a++; }, f: (...v) => v.join() };
  assert.same(x + (x = await 5) + x, 11);
  assert.same(o.a + (await 2) * (10 - (await 4)) / ((await 6) || 1), 3);
  assert.same(o.f(o.g, await 1, o.g, ...(await [3]), o.g), '1,1,2,3,3');
  assert.same((-(await 3)) ** 2, 9);
  assert.list([(await null)?.x.y, (await o)?.f?.(await 1), typeof (await x), void (await 1)], [undefined, '1', 'number', undefined]);
  const target = {};
  target[await 'k'] = await 'v';
  target.k += await '!';
  target.n ??= await 1;
  target.n &&= await 2;
  target[await 'n']++;
  assert.same(JSON.stringify(target), '{"k":"v!","n":3}');
  assert.same(`${o.a}${await 'x'}${o.a}`, '4x4');
  assert.same(new (await Array)(await 2, 3).length, 2);
  switch (0) { case (await 0) ? 1 : 0: x = 'hit'; break; default: x = 'missed'; }
  assert.same(x, 'hit');
  assert.same((x = await 1, x += await 2, x), 3);
});
