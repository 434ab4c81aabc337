// Files that processes and threads start with. They are beside this file in every form of the package: sources, the compiler's output, bundles. A
// file in a folder is not: bundles flatten folders.

const isSourceForm = import.meta.url.endsWith('.ts');
/** Bundles for the tests of this workspace are in the folder `bundled` of each package. */
const isBundledForm = /\/bundled\/[^/]+$/.test(import.meta.url);

/**
 * @param name without its extension
 * @param beside URL of a file in the root of the package's sources; its package may have another form than this one
 */
export function programFileUrl(name: string, beside: string = import.meta.url): URL {
  return new URL(`./${name}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
}

/** Node's flags with which a thread loads all packages in the form of this one. */
export const PACKAGE_FORM_FLAGS: readonly string[] = isSourceForm
  ? ['-C', 'turntable-source']
  : isBundledForm
    ? ['-C', 'turntable-bundled']
    : [];
