// Entry files of processes and threads. They are next to this file in every form of the package: sources, compiled,
// bundled. Files in subfolders are not, because bundles have no folders.

const isSourceForm = import.meta.url.endsWith('.ts');
/** Bundles for this workspace's tests are in the folder `bundled` of each package. */
const isBundledForm = /\/bundled\/[^/]+$/.test(import.meta.url);

/**
 * @param name name of the file without its extension
 * @param beside URL of a file in the source root of the package, which may have another form than this package
 */
export function programFileUrl(name: string, beside: string = import.meta.url): URL {
  return new URL(`./${name}${beside.endsWith('.ts') ? '.ts' : '.js'}`, beside);
}

/** Node flags that make a thread load all packages in the same form as this one. */
export const PACKAGE_FORM_FLAGS: readonly string[] = isSourceForm
  ? ['-C', 'turntable-source']
  : isBundledForm
    ? ['-C', 'turntable-bundled']
    : [];
