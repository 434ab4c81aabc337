/*---
description: The name inside a function expression cannot be assigned
flags: [noStrict]
---*/
const kinds = [function f() { f = 1; return f; }, function f() { (() => { f = 1; })(); return f; }];
for (const kind of kinds) assert.same(kind(), kind);
const generator = function* f() { f = 1; yield f; };
assert.same(generator().next().value, generator);
const arrow = function* f() { (() => { f = 1; })(); yield f; };
assert.same(arrow().next().value, arrow);
const strict = function* f() { 'use strict'; f = 1; };
assert.throws(TypeError, () => strict().next());
const shadowed = function* f() { var f = 1; yield f; };
assert.same(shadowed().next().value, 1);
const parameter = function* f(f) { yield f; };
assert.same(parameter(2).next().value, 2);
