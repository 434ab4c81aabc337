/*---
description: Early errors stay early
negative:
  phase: parse
  type: SyntaxError
---*/
throw 'evaluated';
class K { m(o) { return o.#nope; } }
