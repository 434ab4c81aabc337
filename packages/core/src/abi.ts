// The version of the contract with transformed code (docs/internals/abi.md). The transform has the same number, and code of
// another version must not run on this core.

export const ABI_VERSION = 4;

/** Version of this package. A constant equal to the manifest's, because core reads no files. */
export const VERSION = '0.2.0';
