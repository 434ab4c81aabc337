/*---
description: Names of a pattern are dead until the pattern has reached them
---*/
assert.throws(ReferenceError, () => { let [a, b = c, c] = [1]; });
assert.throws(ReferenceError, () => { let { a = a } = {}; });
assert.throws(ReferenceError, () => { let [b] = [(b = 0)]; (() => b++)(); });
assert.throws(ReferenceError, () => { const { [k]: v } = {}; const k = 1; });
assert.throws(ReferenceError, () => { ((a = b, b) => {})(); });
assert.throws(ReferenceError, () => { (([a = b, b]) => {})([]); });
assert.throws(ReferenceError, () => { for (let x of [x]); });
assert.throws(ReferenceError, () => { for (let x in { [x]: 1 }); });
assert.throws(ReferenceError, () => { for (const x of [(() => x)()]) { (() => x)(); } });
assert.throws(ReferenceError, () => { switch (0) { case 1: let s; default: (() => s)(); } });
