// Files that processes and threads start with. They are beside this file in every form of the package: sources, the compiler's output, bundles. A
// file in a folder is not: bundles flatten folders.

const isSource = (url: string): boolean => url.endsWith('.ts');
const here = import.meta.url;

/** @param name without its extension @param beside URL of a file in the root of the package's sources */
export function ownProgram(name: string, beside: string = here): URL {
  return new URL(`./${name}${isSource(beside) ? '.ts' : '.js'}`, beside);
}

/** Node's flags with which a thread loads all packages in the form of this one. */
export const FORM_FLAGS: readonly string[] = isSource(here)
  ? ['-C', 'turntable-source']
  : here.includes('/replayer/bundled/')
    ? ['-C', 'turntable-bundled']
    : [];
