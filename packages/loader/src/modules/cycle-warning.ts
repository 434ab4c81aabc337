// Node's treatment of a CommonJS module that is required in a cycle, while it is still loading: its exports get a
// prototype that warns when a missing property is read.
import { types } from 'node:util';
import type { CommonJsModule } from '@turntable/core';

function warnMissingProperty(property: string | symbol): void {
  process.emitWarning(
    `Accessing non-existent property '${String(property)}' of module exports inside circular dependency`,
  );
}

const WARNING_PROTOTYPE = new Proxy<Record<string | symbol, unknown>>(
  {},
  {
    get(target, property) {
      // Transpiled code reads `__esModule` of every module.
      if (property in target || property === '__esModule') return target[property];
      warnMissingProperty(property);
      return undefined;
    },
    getOwnPropertyDescriptor(target, property) {
      if (Object.hasOwn(target, property) || property === '__esModule')
        return Reflect.getOwnPropertyDescriptor(target, property);
      warnMissingProperty(property);
      return undefined;
    },
  },
);

function plainExports(module: CommonJsModule): Record<string, unknown> | undefined {
  const { exports } = module;
  if (exports === null || exports === undefined || types.isProxy(exports)) return undefined;
  return typeof exports === 'object' || typeof exports === 'function'
    ? (exports as Record<string, unknown>)
    : undefined;
}

export function exportsInCycle(module: CommonJsModule): unknown {
  const exports = plainExports(module);
  if (exports !== undefined && Object.getPrototypeOf(exports) === Object.prototype && !exports['__esModule']) {
    Object.setPrototypeOf(exports, WARNING_PROTOTYPE);
  }
  return module.exports;
}

export function leaveCycle(module: CommonJsModule): void {
  const exports = plainExports(module);
  if (exports !== undefined && Object.getPrototypeOf(exports) === WARNING_PROTOTYPE)
    Object.setPrototypeOf(exports, Object.prototype);
}
