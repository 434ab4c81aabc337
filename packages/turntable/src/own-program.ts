// Files of this package that threads begin with. It stands beside them in every form that the package has: sources, what the compiler makes of them, bundles. A file in a folder does not: in bundles it is
// beside them, too.

const isSource = import.meta.url.endsWith('.ts');
const isBundled = import.meta.url.includes('/turntable/bundled/');

/** @param name without its ending */
export function ownProgram(name: string): URL {
  return new URL(`./${name}${isSource ? '.ts' : '.js'}`, import.meta.url);
}

/** Flags of Node with which a thread has the other packages in the form that this one has. */
export const FORM_FLAGS: readonly string[] = isSource
  ? ['-C', 'turntable-source']
  : isBundled
    ? ['-C', 'turntable-bundled']
    : [];
