/*---
description: Scripts share their lexical declarations, whichever comes first
flags: [async]
---*/
let here = 1;
const both = () => here + there;
$262.evalScript('let there = 10; class Shared { static get() { return here * there; } } function setHere() { here = 2; }');

(async function () {
  await 0;
  assert.same(both(), 11);
  setHere();
  await 0;
  assert.same(both(), 12);
  assert.same(Shared.get(), 20);
  $262.evalScript('there = 100;');
  await 0;
  assert.same(both(), 102);
})().then($DONE, $DONE);
