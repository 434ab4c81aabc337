// Who loads a file that is required: Node, or a tool that has put its own function among `Module._extensions` (tsx, ts-node). Whether a tool has done so before
// us is not to be told by what was there first, so Node's own are known by their texts: they name what nobody outside of Node has.
import { extname } from 'node:path';
import { internals } from '@turntable/core';
import { NodeModules } from './resolution.ts';

/** Of `.js`, `.json` and `.node`; there are no others. */
const NODES = /\bStringPrototypeEndsWith\(filename\b|\bsetOwnProperty\(module\b|\bprocess\.dlopen\(module, path\./;
const { toString: textOf } = Function.prototype;
const known = new WeakMap<object, boolean>();

/** Whether somebody has installed a loader for this kind of file. */
export function isLoadedByTool(filename: string): boolean {
  const loader = NodeModules._extensions[extname(filename)] ?? NodeModules._extensions['.js'];
  if (loader === undefined || isNodes(loader)) return false;
  hasLoaded ||= !internals.isOurs(loader as () => unknown);
  return true;
}

let hasLoaded = false;

/** Whether any was, by one that is not the program's own. */
export function foreignLoaders(): readonly string[] {
  return hasLoaded ? ['files that another tool loads for require (--import tsx)'] : [];
}

function isNodes(loader: object): boolean {
  let answer = known.get(loader);
  if (answer === undefined) known.set(loader, (answer = NODES.test(Reflect.apply(textOf, loader, []) as string)));
  return answer;
}
