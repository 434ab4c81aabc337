// Checks the Node version before modules are loaded that an older Node cannot link.

/** Ends the process with an error if this version of Node lacks features that the loader needs. */
export function requireNode(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 26 || (major === 24 && minor >= 11)) return;
  process.stderr.write(
    `turntable: Node.js 24.11 or a later 24, or 26 and later, is required; this is ${version} (${process.execPath})\n`,
  );
  process.exit(1);
}
