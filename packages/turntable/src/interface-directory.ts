// The files of the debugger's interface: what `npm run build:interface` makes of apps/debugger, in this package. As own-program.ts it stands where sources, what the compiler makes and bundles are all as deep.
export const INTERFACE_DIRECTORY: URL = new URL('../interface/', import.meta.url);
