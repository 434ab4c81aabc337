/*---
description: arguments of generators: mapped where sloppy and simple, shadowed by lexical declarations
flags: [noStrict]
---*/
function* lexical() { let arguments; yield typeof arguments; }
assert.same(lexical(1).next().value, 'undefined');
function* plain() { yield arguments.length; yield arguments[1]; yield* arguments; }
assert.list([...plain('a', 'b')], [2, 'b', 'a', 'b']);
function* strict(a) { 'use strict'; a = 2; yield arguments[0]; }
assert.same(strict(1).next().value, 1);
