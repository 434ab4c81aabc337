/*---
description: Keys, sources, defaults and targets are evaluated from left to right
---*/
const log = [];
const note = (name, value) => { log.push(name); return value; };
const o = {};
({ [note('key', 'p')]: note('target', o)[note('member', 'q')] = note('default', 1) } = note('source', {}));
assert.list(log, ['source', 'key', 'target', 'member', 'default']);
assert.same(o.q, 1);
[o.x = note('first', 1), [o.y] = note('second', [2])] = [];
assert.list([o.x, o.y], [1, 2]);
