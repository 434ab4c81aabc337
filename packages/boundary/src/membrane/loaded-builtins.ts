// The builtins that Node has loaded, from its own list.
import { isBuiltin } from 'node:module';

/** Reading these prints a deprecation warning. */
const DEPRECATED_BUILTINS = new Set(['punycode', 'sys']);

/** Returns the builtins after the first `start` entries of Node's list, loaded by the program or by Node itself. */
export function loadedBuiltins(start: number): { readonly names: readonly string[]; readonly listLength: number } {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  const names: string[] = [];
  for (let i = start; i < moduleLoadList.length; i++) {
    const id = /^NativeModule ([a-z_\d/]+)$/.exec(moduleLoadList[i] ?? '')?.[1];
    if (id !== undefined && isBuiltin(id) && !DEPRECATED_BUILTINS.has(id)) names.push(id);
  }
  return { names, listLength: moduleLoadList.length };
}
