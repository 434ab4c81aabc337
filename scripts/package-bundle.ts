// Bundles a package with each entry point in one file, for publication and for processes that tests start: Node takes a
// millisecond for every module that the start of a program waits for.
import { rolldown, RolldownMagicString, type ChunkingContext, type Plugin, type RenderedChunk } from 'rolldown';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Manifest {
  [key: string]: Json;
  name: string;
}

/** Export conditions of the workspace, which published packages do not have. */
const OWN_CONDITIONS = new Set(['turntable-source', 'turntable-bundled']);

export function withoutOwnConditions(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      OWN_CONDITIONS.has(key) ? [] : [[key, withoutOwnConditions(inner)]],
    ),
  );
}

/** Entry files of a package in the folder: exports, programs, and devices, which need files for the host side. */
export function entriesOf({ exports, bin, turntable }: Manifest, folder: 'src' | 'dist'): string[] {
  const found: string[] = [];
  const visit = (value: Json | undefined): void => {
    if (typeof value === 'string' && value.startsWith(`./${folder}/`) && /(?<!\.d)\.[jt]s$/.test(value))
      found.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(exports);
  visit(bin);
  visit(turntable);
  return [...new Set(found)];
}

interface BundleOptions {
  /** Paths of the entry files. */
  readonly input: readonly string[];
  /** Directory of the output. */
  readonly directory: string;
  readonly sourcemap: boolean;
}

/** Entries that every thread loads; the many small modules that they import share one file. */
const START_ENTRY = /\/replayer\/(?:dist|src)\/(?:entry|register)\.[jt]s$/;

function isStartModule(id: string, context: ChunkingContext, seen: Set<string> = new Set()): boolean {
  if (START_ENTRY.test(id)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return context.getModuleInfo(id)?.importers.some((importer) => isStartModule(importer, context, seen)) === true;
}

/** Bundles the entry files; imports of other packages stay imports. */
export async function writeBundle({ input, directory, sourcemap }: BundleOptions): Promise<void> {
  const bundle = await rolldown({
    input: [...input],
    external: /^[^./]/,
    // The platform `node` would add an import of helpers for CommonJS, which these packages do not use.
    platform: 'neutral',
    preserveEntrySignatures: 'allow-extension',
    treeshake: false,
    plugins: [withoutFacades],
  });
  await bundle.write({
    dir: directory,
    sourcemap,
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: [{ debugName: 'start', name: (id, context) => (isStartModule(id, context) ? 'start' : null) }],
    },
  });
  await bundle.close();
}

/**
 * Replaces imports of builtins by `process.getBuiltinModule`. For an ES import Node creates a facade by reading every export,
 * which loads lazy parts: streams, `fs.promises`, text comparison. That takes a fifth of the start of an empty program.
 * Dynamically loaded chunks keep their imports: by then the program owns `process.getBuiltinModule`.
 */
const withoutFacades: Plugin = {
  name: 'without-facades',
  renderChunk(code, chunk, _options, { chunks }) {
    if (!staticallyLoaded(chunks).has(chunk.fileName)) return undefined;
    const statement = /^import (?:(\w+),? )?(?:\{ ([^}]*) \} )?from "(node:[^"]+)";$/gm;
    const text = new RolldownMagicString(code);
    for (const { 0: whole, 1: builtin, 2: names, 3: specifier, index } of code.matchAll(statement)) {
      const loaded = `process.getBuiltinModule("${specifier}")`;
      const constants = [builtin, names && `{ ${names.replaceAll(' as ', ': ')} }`].filter(Boolean);
      text.overwrite(
        index,
        index + whole.length,
        `const ${constants.map((name) => `${name} = ${loaded}`).join(', ')};`,
      );
    }
    return text.hasChanged() ? { code: text } : undefined;
  },
};

/** Names of the entries and of all chunks that they import statically. */
function staticallyLoaded(chunks: Readonly<Record<string, RenderedChunk>>): Set<string> {
  const names = new Set(Object.keys(chunks).filter((name) => chunks[name]?.isEntry === true));
  for (const name of names) for (const imported of chunks[name]?.imports ?? []) names.add(imported);
  return names;
}
