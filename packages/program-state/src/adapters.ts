// Node's own objects around CommonJS modules: `module`, `require` and `require.resolve`. Each is written as the module it belongs to and
// made again by what makes it for a fresh file.
import { descriptorsOf } from './descriptors.ts';
import { NodeModules, requireOwner } from '@turntable/loader';
import type { Adapter } from '@turntable/heap';

const MODULE = 0;

/** `module`: properties as they are, but none of the symbols that Node keeps there. */
export function moduleObjects(): Adapter {
  return {
    name: 'module objects',
    asks: 'objects',
    claims: (prototype) => prototype === NodeModules.prototype,
    take(value) {
      const module = value as NodeModule;
      if (Reflect.getPrototypeOf(module) !== NodeModules.prototype) return undefined;
      const born = descriptorsOf(module);
      for (const key of Object.keys(born)) Reflect.deleteProperty(born, key);
      return {
        kind: MODULE,
        header: [typeof module.id === 'string' ? module.id : ''],
        contents: [module.parent],
        born,
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

const REQUIRE = 0;
const RESOLVE = 1;
const PATHS = 2;

/** `create`: the `require` of a module. */
export function requireFunctions(create: (module: NodeModule) => NodeJS.Require): Adapter {
  const made = new WeakMap<object, NodeJS.Require>();
  const requireOf = (module: NodeModule): NodeJS.Require => {
    let require = made.get(module);
    if (require === undefined) made.set(module, (require = create(module)));
    return require;
  };
  return {
    name: 'require functions',
    asks: 'functions',
    take(fn) {
      const owner = requireOwner(fn);
      if (owner === undefined) return undefined;
      const { module, part } = owner;
      const kind = { require: REQUIRE, resolve: RESOLVE, paths: PATHS }[part];
      const born = descriptorsOf(fn);
      // The entry point is another object when the program goes on.
      Reflect.deleteProperty(born, 'main');
      return { kind, header: [module], contents: [], born, label: () => ' of' };
    },
    allocate(kind, header) {
      const require = requireOf(header[0] as NodeModule);
      return kind === REQUIRE ? require : kind === RESOLVE ? require.resolve : require.resolve.paths;
    },
    fill: () => undefined,
  };
}
