/*---
description: Early errors stay early
negative:
  phase: parse
  type: SyntaxError
---*/
throw 'evaluated';
async function f(x = await 1) {}
