// The version of the contract with transformed code (docs/abi.md): the transform states the same number, and no code of another
// version may run on this core.

export const ABI_VERSION = 4;

/** Of this package, as its manifest has it: core reads no files. */
export const VERSION = '0.2.0';
