// `import(specifier, options)` (ECMA-262 §13.3.10) as a frame of core's own. So a pending import is data, like any
// suspended function. It takes as many ticks as the specification's chain of promises.
import { evaluate } from './evaluate.ts';
import { namespaceOf } from './export-resolution.ts';
import { link, loadRequested } from './link.ts';
import type { ModuleFrame } from './ports.ts';
import type { ModuleRecord } from './record.ts';
import { NO_ATTRIBUTES, type ImportAttributes } from './module-table.ts';

interface PendingImport {
  readonly referrer: ModuleRecord;
  readonly specifier: unknown;
  readonly options: unknown;
  /** `source` for `import.source(…)`, otherwise undefined. */
  readonly phase: string | undefined;
  target: ModuleRecord | undefined;
}

export function dynamicImport(
  referrer: ModuleRecord,
  specifier: unknown,
  options: unknown,
  phase: string | undefined,
): object {
  const { realm } = referrer;
  const frame = realm.createFrame(importStep);
  const pending: PendingImport = { referrer, specifier, options, phase, target: undefined };
  frame.s0 = pending;
  return realm.async(frame);
}

/** Step function of an import. At point 1 the module is loaded but not linked, at point 2 it is evaluated. */
export function importStep(frame: ModuleFrame, value: unknown, how: 0 | 1 | 2): unknown {
  const pending = frame.s0 as PendingImport;
  const point = frame.pc;
  frame.pc = 0;
  if (how === 1) throw value;
  const { referrer } = pending;
  const { realm } = referrer;
  if (point === 0) {
    const specifier = `${pending.specifier as string}`;
    const attributes = attributesOf(pending.options);
    pending.target = referrer.graph.host.load(referrer, { specifier, attributes, start: -1 });
    if (pending.phase === 'source') {
      throw new SyntaxError(`Source phase import object is not defined for module '${pending.target.key}'`);
    }
    loadRequested(pending.target);
    return realm.await(frame, 1, undefined);
  }
  const target = pending.target as ModuleRecord;
  if (point === 1) {
    link(target);
    return realm.await(frame, 2, evaluate(target));
  }
  return namespaceOf(target);
}

function attributesOf(options: unknown): ImportAttributes {
  if (options === undefined) return NO_ATTRIBUTES;
  if ((typeof options !== 'object' && typeof options !== 'function') || options === null) {
    throw new TypeError('The second argument to import() must be an object');
  }
  const attributesOption = (options as { with?: unknown }).with;
  if (attributesOption === undefined) return NO_ATTRIBUTES;
  if ((typeof attributesOption !== 'object' && typeof attributesOption !== 'function') || attributesOption === null) {
    throw new TypeError("The 'options' argument of import() must have an object as its 'with' property");
  }
  const attributes = Object.create(null) as Record<string, string>;
  for (const [key, value] of Object.entries(attributesOption)) {
    if (typeof value !== 'string') throw new TypeError('Import attribute value must be a string');
    attributes[key] = value;
  }
  return attributes;
}
