/*---
description: What was declared constant at the top of a file stays constant
flags: [async]
---*/
const fixed = 1;
function write() {
  fixed = 2;
}

test(async function () {
  await 0;
  assert.throws(TypeError, write);
  assert.throws(TypeError, () => fixed++);
  let failure;
  try {
    for await ([fixed] of [[2]]);
  } catch (error) {
    failure = error;
  }
  assert.same(failure instanceof TypeError, true);
  assert.same(fixed, 1);
});
