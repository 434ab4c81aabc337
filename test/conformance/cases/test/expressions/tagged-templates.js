/*---
description: A site has one strings object; sites and functions differ
---*/
const id = (strings) => strings;
const site = () => id`a${1}b`;
assert.same(site(), site());
assert(id`a` !== id`a`, 'two sites');
function* g() { const t = (s, ...v) => [s, v]; const [s] = t`g${yield 1}`; yield s; }
const [one, two] = [g(), g()];
one.next(); two.next();
assert.same(one.next(2).value, two.next(3).value);
assert(Object.isFrozen(site()) && Object.isFrozen(site().raw), 'frozen');
assert.same(id`\u{zz}`[0], undefined);
assert(new ((s) => class { z = s.length; })`x`() !== undefined, 'new of a tagged result');
