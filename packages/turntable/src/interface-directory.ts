// Directory of the debugger's interface, built by `npm run build:interface`. Its path is the same from sources,
// compiled files and bundles.
export const INTERFACE_DIRECTORY: URL = new URL('../interface/', import.meta.url);
