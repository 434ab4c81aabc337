/*---
description: Indirect eval runs in the global scope and keeps its lexical declarations
---*/
const outer = 'not seen';
assert.same((0, eval)('typeof outer2'), 'undefined');
assert.same((0, eval)('var viaEval = 1; viaEval + 1'), 2);
assert.same(globalThis.viaEval, 1);
assert(delete globalThis.viaEval, 'variables of eval can be deleted');
(0, eval)('let hidden = 1; const alsoHidden = 2');
assert.same(typeof hidden + typeof alsoHidden, 'undefinedundefined');
assert.same((0, eval)('"use strict"; var own = 1; own'), 1);
assert.same(typeof own, 'undefined');
assert.same((0, eval)(outer.length), 8);
assert.throws(SyntaxError, () => (0, eval)('('));
