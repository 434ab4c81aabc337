/*---
description: Early errors stay early
negative:
  phase: parse
  type: SyntaxError
---*/
throw 'evaluated';
switch (0) { case 0: let a; default: function a() {} }
