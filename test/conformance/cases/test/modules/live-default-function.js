/*---
description: A default-exported function is initialised at link time and live when reassigned
flags: [module]
---*/
import imported from './live-default-function.js';
assert.same(imported(), 1);
assert.same(imported, 2);
export default function fn() { fn = 2; return 1; }
