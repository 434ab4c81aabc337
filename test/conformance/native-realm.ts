/*
 * The native side of the comparison: a fresh V8 context of the running Node, with scripts as vm.Script and modules as
 * vm.SourceTextModule. The only host objects in it are `print` and `$262`.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import vm from 'node:vm';
import type { TestRealm, TestRealmOptions } from './test-realm.ts';

const harnessScripts = new Map<string, vm.Script>();

/** Compiled once per process: the same script runs in every context. */
export function harnessScript(source: string, file: string): vm.Script {
  let script = harnessScripts.get(file);
  if (script === undefined) {
    script = new vm.Script(source, { filename: file });
    harnessScripts.set(file, script);
  }
  return script;
}

/** Replaces an error from Node's own realm by one of the same class in the realm under test. */
export function adoptError(error: unknown, global: Record<string, unknown>): unknown {
  if (!(error instanceof Error)) return error;
  const constructor = global[error.name];
  if (typeof constructor !== 'function') return error;
  return Reflect.construct(constructor, [error.message]) as unknown;
}

/** The object `$262` that every realm offers to tests, as in the suite's INTERPRETING.md. */
export function host262(
  global: Record<string, unknown>,
  script: (source: string, filename: string) => { run(): unknown },
  createRealm: () => TestRealm,
): Record<string, unknown> {
  return {
    global,
    evalScript: (source: string) => {
      let compiled;
      try {
        compiled = script(source, 'evalScript.js');
      } catch (error) {
        throw adoptError(error, global);
      }
      return compiled.run();
    },
    createRealm: () => createRealm().global['$262'],
    detachArrayBuffer: (buffer: ArrayBuffer) => {
      structuredClone(buffer, { transfer: [buffer] });
    },
    gc: () => {
      if (typeof globalThis.gc !== 'function') throw new Error('run with --expose-gc');
      void globalThis.gc();
    },
    // Agents (threads) are not offered: files that need them fail natively and so do not count.
    agent: {},
  };
}

type ImportAttributes = Readonly<Record<string, string | undefined>>;

export function openNativeRealm(options: TestRealmOptions): TestRealm {
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  const global = context as unknown as Record<string, unknown>;
  const modules = new Map<string, vm.Module>();

  const importModuleDynamically = (
    referrer: string,
  ): ((specifier: string, script: unknown, attributes: ImportAttributes) => Promise<vm.Module>) => {
    return async (specifier, _script, attributes) => {
      try {
        const module = load(resolve(dirname(referrer), specifier), attributes);
        instantiate(module);
        // Node refuses to evaluate a module again that is being evaluated, as when a module imports itself.
        if (module.status !== 'evaluating') await module.evaluate();
        return module;
      } catch (error) {
        throw adoptError(error, global);
      }
    };
  };

  const sourceModule = (source: string, file: string): vm.SourceTextModule =>
    new vm.SourceTextModule(source, {
      context,
      identifier: file,
      importModuleDynamically: importModuleDynamically(file) as never,
      initializeImportMeta: () => {},
    });

  const load = (file: string, attributes: ImportAttributes): vm.Module => {
    const key = `${attributes['type'] ?? ''}:${file}`;
    let module = modules.get(key);
    if (module !== undefined) return module;
    const source = readFileSync(file, 'utf8');
    if (attributes['type'] === 'json') {
      const value: unknown = (global['JSON'] as JSON).parse(source);
      module = new vm.SyntheticModule(
        ['default'],
        function (this: vm.SyntheticModule) {
          this.setExport('default', value);
        },
        { context, identifier: file },
      );
    } else {
      module = sourceModule(source, file);
    }
    modules.set(key, module);
    if (module instanceof vm.SourceTextModule) linkRequests(module);
    return module;
  };

  const linkRequests = (module: vm.SourceTextModule): void => {
    const requested = module.moduleRequests.map(({ specifier, attributes }) =>
      load(resolve(dirname(module.identifier), specifier), attributes as ImportAttributes),
    );
    (module as unknown as { linkRequests(modules: vm.Module[]): void }).linkRequests(requested);
  };

  const instantiate = (module: vm.Module): void => {
    if (module instanceof vm.SourceTextModule && module.status === 'unlinked') {
      (module as unknown as { instantiate(): void }).instantiate();
    }
  };

  const script = (source: string, file: string): { run(): unknown } => {
    const compiled = new vm.Script(source, {
      filename: file,
      importModuleDynamically: importModuleDynamically(file) as never,
    });
    return { run: () => compiled.runInContext(context) };
  };

  define(global, 'print', (text: unknown) => options.print(String(text)));
  define(
    global,
    '$262',
    host262(global, script, () => openNativeRealm(options)),
  );

  return {
    global,
    harness: (source, file) => void harnessScript(source, file).runInContext(context),
    script,
    module: (source, file) => {
      const module = sourceModule(source, file);
      modules.set(`:${file}`, module);
      return {
        link: () => {
          linkRequests(module);
          instantiate(module);
        },
        evaluate: () => module.evaluate(),
      };
    },
  };
}

/** Defines a host addition that looks like a builtin: not enumerable. */
export function define(global: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(global, name, { value, writable: true, enumerable: false, configurable: true });
}
