/*---
description: Functions in blocks are also variables of the function, unless a lexical name stands in between
flags: [noStrict]
---*/
function hoists() { const before = typeof f; { function f() {} } return [before, typeof f]; }
assert.list(hoists(), ['undefined', 'function']);
function lexical() { let f = 1; { function f() { f = 0; } } return typeof f; }
assert.same(lexical(), 'number');
function parameter(f) { { function f() {} } return typeof f; }
assert.same(parameter(1), 'number');
function inSwitch() { switch (0) { case 1: function f() { return 'f'; } case 0: return f(); } }
assert.same(inSwitch(), 'f');
function assigned() { { function f() {} f = 1; } return typeof f; }
assert.same(assigned(), 'function');
