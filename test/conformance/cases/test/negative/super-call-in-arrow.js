/*---
description: Early errors stay early
negative:
  phase: parse
  type: SyntaxError
---*/
throw 'evaluated';
const f = async () => { super(); };
