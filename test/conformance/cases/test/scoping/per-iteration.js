/*---
description: Each iteration has its own bindings, also when the loop suspends
flags: [async]
---*/
const plain = [];
for (let i = 0, f = () => i; i < 2; i++) plain.push(f, () => i);
assert.list(plain.map((f) => f()), [0, 0, 0, 1]);
test(async () => {
  const fs = [];
  for (let i = 0, f = () => i; i < 2; await i++) fs.push(f, () => i);
  assert.list(fs.map((f) => f()), [0, 0, 0, 1]);
  const later = [];
  for (const x of ['a', 'b']) { await null; let y = x; later.push(() => (y += x)); }
  assert.list(later.map((f) => f() + f()), ['aaaaa', 'bbbbb']);
  let b = 'outer';
  for await (let b of [0, 1]) await b;
  assert.same(b, 'outer');
});
