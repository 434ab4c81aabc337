// Builtins that Node has loaded, by its own list.
import { isBuiltin } from 'node:module';

/** These print a deprecation warning when they are read. */
const DEPRECATED_BUILTINS = new Set(['punycode', 'sys']);

/** Builtins loaded since the first `start` entries of Node's list; the program may have reached them in ways of its own. */
export function loadedBuiltins(start: number): { readonly names: readonly string[]; readonly listLength: number } {
  const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };
  const names: string[] = [];
  for (let i = start; i < moduleLoadList.length; i++) {
    const id = /^NativeModule ([a-z_\d/]+)$/.exec(moduleLoadList[i] ?? '')?.[1];
    if (id !== undefined && isBuiltin(id) && !DEPRECATED_BUILTINS.has(id)) names.push(id);
  }
  return { names, listLength: moduleLoadList.length };
}
