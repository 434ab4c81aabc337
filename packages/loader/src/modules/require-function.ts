// The `require` function of a transformed CommonJS file, with Node's properties. It loads through the program's hosts.
import { codedError } from '@turntable/core';
import { NodeModules, type RequireOptions } from '../node/resolution.ts';

let nativeRequire = NodeModules.prototype.require;
let nativeLoad = NodeModules._load;

/** Must be called after Turntable has replaced `module.require` and `Module._load`. A later change is the program's. */
export function noteNativeRequire(): void {
  nativeRequire = NodeModules.prototype.require;
  nativeLoad = NodeModules._load;
}

export function validateId(id: unknown, name: string): asserts id is string {
  if (typeof id === 'string') return;
  const receivedText = id === null || id === undefined ? `${id as null}` : `type ${typeof id} (${String(id)})`;
  throw codedError(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `The "${name}" argument must be of type string. Received ${receivedText}`,
  );
}

/** The module that a function belongs to, and which part of the module's `require` the function is. */
export interface RequireOwner {
  readonly module: NodeModule;
  readonly part: 'require' | 'resolve' | 'paths';
}

const owners = new WeakMap<object, RequireOwner>();

export function requireOwner(fn: object): RequireOwner | undefined {
  return owners.get(fn);
}

export interface RequireDeps {
  load(id: string, from: NodeModule): unknown;
  resolve(id: string, from: NodeModule, options: RequireOptions | undefined): string;
}

export function createRequireFunction(module: NodeModule, deps: RequireDeps): NodeJS.Require {
  const require = function (path: string): unknown {
    // `module.require` was replaced, for example by an APM agent or a test double. The replacement loads the module.
    if (module.require !== nativeRequire) return module.require(path);
    validateId(path, 'id');
    if (path === '') {
      throw codedError(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'id' must be a non-empty string. Received ''");
    }
    // A replacement of `Module._load` loads the module, too.
    if (NodeModules._load !== nativeLoad) return NodeModules._load(path, module, false);
    return deps.load(path, module);
  } as NodeJS.Require;
  Object.defineProperty(require, 'name', { value: 'require' });

  const resolve = function (request: string, options?: RequireOptions): string {
    validateId(request, 'request');
    return deps.resolve(request, module, options);
  } as NodeJS.RequireResolve;
  Object.defineProperty(resolve, 'name', { value: 'resolve' });
  resolve.paths = function paths(request: string): string[] | null {
    validateId(request, 'request');
    return NodeModules._resolveLookupPaths(request, module);
  };
  require.resolve = resolve;
  require.main = process.mainModule;
  require.extensions = NodeModules._extensions as NodeJS.RequireExtensions;
  require.cache = NodeModules._cache;
  owners.set(require, { module, part: 'require' });
  owners.set(resolve, { module, part: 'resolve' });
  owners.set(resolve.paths, { module, part: 'paths' });
  return require;
}
