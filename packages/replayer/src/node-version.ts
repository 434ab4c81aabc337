// Which Node it takes, said before anything is loaded that an older one cannot even link.

/** Ends the process unless this Node has what the loader stands on. */
export function requireNode(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 26 || (major === 24 && minor >= 11)) return;
  process.stderr.write(
    `turntable: Node.js 24.11 or a later 24, or 26 and later, is needed; this is ${version} (${process.execPath})\n`,
  );
  process.exit(1);
}
