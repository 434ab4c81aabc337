/*---
description: How many jobs awaiting takes, by what is awaited and returned
flags: [async]
---*/
const log = [];
const clock = (n) => { if (n < 10) Promise.resolve().then(() => { log.push(n); clock(n + 1); }); };
clock(0);
(async () => { await 1; log.push('value'); })();
(async () => { await Promise.resolve(); log.push('promise'); })();
(async () => { await { then: (f) => f() }; log.push('thenable'); })();
(async () => 1)().then(() => log.push('returned value'));
(async () => Promise.resolve())().then(() => log.push('returned promise'));
(async () => { for await (const x of [1]); log.push('for await'); })();
(async function* () { yield 1; })().next().then(() => log.push('yield'));
Promise.resolve().then(() => Promise.resolve()).then(() => log.push('chained'));
test(async () => {
  for (let i = 0; i < 14; i++) await null;
  assert.list(log, [0, 'value', 'promise', 'returned value', 1, 'thenable', 'yield', 2, 'returned promise', 3, 'for await', 'chained', 4, 5, 6, 7, 8, 9]);
});
