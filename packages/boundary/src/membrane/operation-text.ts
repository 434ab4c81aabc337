// Names of operations and functions of the host, for people.
import { opText, type Op, type OpKey } from './encoding.ts';
import { BOUND_PREFIX, type Handle } from './handle.ts';

/** Name of a function in the run index: its path, or its class and name. */
export function functionLabel({ path, label }: Handle, self: Handle | undefined): string {
  if (path !== undefined) return path.replace(BOUND_PREFIX, '').replace('.prototype.', '.');
  return self === undefined || self.label === '' ? label : `${self.label}.${label}`;
}

/** Text of an operation for divergence reports. */
export function operationText(op: Op, { number, path, label }: Handle, key: OpKey): string {
  const target = path?.replace(BOUND_PREFIX, '') ?? `${label === '' ? 'object' : label}#${number}`;
  return opText(op, target, key);
}
