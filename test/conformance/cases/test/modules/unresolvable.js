/*---
description: A missing name is an error of linking
negative:
  phase: resolution
  type: SyntaxError
flags: [module]
---*/
throw 'evaluated';
import { nope } from './unresolvable.js';
