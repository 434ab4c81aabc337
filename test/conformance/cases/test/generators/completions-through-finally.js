/*---
description: Pending completions survive suspensions in finally, and are overridden by new ones
---*/
function* returns() { try { return 1; } finally { yield 'f'; } }
let it = returns(); it.next(); assert.same(it.next().value, 1);
function* throws() { try { throw new RangeError('t'); } finally { yield 'f'; } }
it = throws(); it.next(); assert.throws(RangeError, () => it.next());
function* overridden() { try { throw new RangeError('t'); } finally { yield 'f'; return 2; } }
it = overridden(); it.next(); assert.same(it.next().value, 2);
function* jumps() { const out = []; l: for (const i of [1, 2, 3]) { try { if (i === 1) continue l; if (i === 2) break l; } finally { out.push(yield i); } } return out; }
it = jumps(); it.next(); it.next('a'); assert.list(it.next('b').value, ['a', 'b']);
function* nested() { try { try { return 'inner'; } finally { yield 1; throw new RangeError('from finally'); } } catch (e) { yield e.message; } finally { yield 'last'; } return 'end'; }
it = nested(); it.next(); assert.same(it.next().value, 'from finally'); it.next(); assert.same(it.next().value, 'end');
