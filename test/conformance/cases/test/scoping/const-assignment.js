/*---
description: Assignments to constants throw, captured and suspended too
flags: [async]
---*/
const c = 1;
for (const assign of [() => { c = 2; }, () => { c++; }, () => { [c] = [2]; }, () => { ({ c } = { c: 2 }); }, () => { c += 1; }, () => { for (c of [1]); }]) assert.throws(TypeError, assign);
c ||= 2;
test(async () => {
  const d = 1;
  let errors = 0;
  for (const assign of [async () => { await null; d = 2; }, async () => { d += await 1; }, async () => { [d] = await [2]; }, async () => { await (async () => d++)(); }]) await assign().catch((e) => { errors += e.constructor === TypeError; });
  assert.same(errors, 4);
  assert.same(d, 1);
});
