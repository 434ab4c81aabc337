/*---
description: Variables of a module that awaits are closed over and exported live
flags: [module, async]
---*/
import * as self from './top-level-await.js';
export let x = await 1;
const read = () => x + y;
let y = await 2;
assert.same(read(), 3);
x += await 10;
assert.same(self.x, 11);
for await (const z of [1, 2]) y += z;
const inner = async () => { y++; await null; return y; };
assert.same(await inner(), 6);
assert.same((await import('./top-level-await-imported_FIXTURE.js')).default, 'imported');
$DONE();
