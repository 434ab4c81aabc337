// A package with each of its doors in one file, as it is published, and as the processes that tests start have it: Node takes a millisecond for every module that a
// program's start waits for.
import { rolldown, RolldownMagicString, type ChunkingContext, type Plugin, type RenderedChunk } from 'rolldown';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Manifest {
  [key: string]: Json;
  name: string;
}

/** The export conditions by which a workspace runs, and what is published does not have. */
const OWN_CONDITIONS = new Set(['turntable-source', 'turntable-bundled']);

export function withoutOwnConditions(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      OWN_CONDITIONS.has(key) ? [] : [[key, withoutOwnConditions(inner)]],
    ),
  );
}

/** The files that doors and programs lead to, of those in the given folder of the package, and its devices: what is outside of programs is no part of a file that is inside. */
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
  /** Files. */
  readonly input: readonly string[];
  /** A directory. */
  readonly directory: string;
  readonly sourcemap: boolean;
}

/** What every thread begins with, in one file with all that it imports: they are many small modules that several doors share. */
const START_ENTRY = /\/replayer\/(?:dist|src)\/(?:entry|register)\.[jt]s$/;

function isStartModule(id: string, context: ChunkingContext, seen: Set<string> = new Set()): boolean {
  if (START_ENTRY.test(id)) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return context.getModuleInfo(id)?.importers.some((importer) => isStartModule(importer, context, seen)) === true;
}

/** What else it imports stays where it is. */
export async function writeBundle({ input, directory, sourcemap }: BundleOptions): Promise<void> {
  const bundle = await rolldown({
    input: [...input],
    external: /^[^./]/,
    // For Node, each bundle would import a file of helpers for CommonJS, which there is none of.
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
 * Builtins as Node has them. An ES module that imports one gets a facade, made by reading every export, which makes Node load what
 * stands behind them: streams, `fs.promises`, comparisons of texts. That takes a fifth of an empty program's start. What is loaded
 * later keeps its facades: `process.getBuiltinModule` is the program's by then.
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

/** Entries and what they import statically. */
function staticallyLoaded(chunks: Readonly<Record<string, RenderedChunk>>): Set<string> {
  const names = new Set(Object.keys(chunks).filter((name) => chunks[name]?.isEntry === true));
  for (const name of names) for (const imported of chunks[name]?.imports ?? []) names.add(imported);
  return names;
}
