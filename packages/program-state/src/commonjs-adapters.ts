// Node's objects of a CommonJS module: `module`, `require` and `require.resolve`. A function is written as a reference
// to its module. All are created again as for a file that is loaded for the first time.
import { descriptorsOf } from './descriptors.ts';
import { NodeModules, requireOwner } from '@turntable/loader';
import type { ObjectAdapter } from '@turntable/heap';

const MODULE_OBJECT = 0;

/** The adapter of `module` objects: their properties, without Node's symbols. */
export function createModuleObjectAdapter(): ObjectAdapter {
  return {
    name: 'module objects',
    appliesTo: 'objects',
    matchesPrototype: (prototype) => prototype === NodeModules.prototype,
    takeApart(value) {
      const module = value as NodeModule;
      if (Reflect.getPrototypeOf(module) !== NodeModules.prototype) return undefined;
      const initialProperties = descriptorsOf(module);
      for (const key of Object.keys(initialProperties)) Reflect.deleteProperty(initialProperties, key);
      return {
        kind: MODULE_OBJECT,
        header: [typeof module.id === 'string' ? module.id : ''],
        contents: [module.parent],
        initialProperties,
        prototype: NodeModules.prototype,
        label: (_, part) => (part === 'contents' ? '.parent' : ''),
      };
    },
    allocate: (_, header) => new NodeModules(String(header[0])),
    fill(object, _, contents) {
      const [parent] = contents;
      if (parent !== undefined) (object as NodeModule).parent = parent as NodeModule;
    },
  };
}

const REQUIRE_FUNCTION = 0;
const RESOLVE_FUNCTION = 1;
const PATHS_FUNCTION = 2;

/** @param create creates the `require` function of a module */
export function createRequireAdapter(create: (module: NodeModule) => NodeJS.Require): ObjectAdapter {
  const requireByModule = new WeakMap<object, NodeJS.Require>();
  const requireOf = (module: NodeModule): NodeJS.Require => {
    let require = requireByModule.get(module);
    if (require === undefined) requireByModule.set(module, (require = create(module)));
    return require;
  };
  return {
    name: 'require functions',
    appliesTo: 'functions',
    takeApart(fn) {
      const owner = requireOwner(fn);
      if (owner === undefined) return undefined;
      const { module, part } = owner;
      const kind = { require: REQUIRE_FUNCTION, resolve: RESOLVE_FUNCTION, paths: PATHS_FUNCTION }[part];
      const initialProperties = descriptorsOf(fn);
      // Left out, because the entry point's module is another object after a restore.
      Reflect.deleteProperty(initialProperties, 'main');
      return { kind, header: [module], contents: [], initialProperties, label: () => ' of' };
    },
    allocate(kind, header) {
      const require = requireOf(header[0] as NodeModule);
      return kind === REQUIRE_FUNCTION ? require : kind === RESOLVE_FUNCTION ? require.resolve : require.resolve.paths;
    },
    fill: () => undefined,
  };
}
