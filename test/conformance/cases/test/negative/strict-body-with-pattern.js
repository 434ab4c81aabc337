/*---
description: Early errors stay early
negative:
  phase: parse
  type: SyntaxError
---*/
throw 'evaluated';
class K { static async *m({ a }) { 'use strict'; } }
