// Finds the Node.js releases that this repository is developed on. They are installed as optional platform packages
// (`node-24-linux-x64`, …), so that the machine's own Node may be older. Where no such package exists, a running Node
// of the right major version is used. Plain JavaScript without dependencies: an older Node must be able to run it.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Major versions that all tests run on. */
export const majors = [24, 26];

/** Path of a Node.js of this major version; undefined if this machine has none. */
export function nodeBinary(/** @type {number} */ major) {
  const packaged = `${root}node_modules/node-${major}-${process.platform}-${process.arch}/bin/node`;
  if (existsSync(packaged)) return packaged;
  return Number.parseInt(process.versions.node, 10) === major ? process.execPath : undefined;
}

/** Error text with the reason and a remedy. */
export function missingNode(/** @type {number[]} */ wanted) {
  const installed = existsSync(`${root}node_modules`);
  return (
    `TT_NO_NODE: no Node.js ${wanted.join(' or ')} here. ` +
    (installed
      ? `There is no platform package for ${process.platform}-${process.arch}, and the running Node is ${process.version}: ` +
        `install Node.js ${wanted[0]} and start this command with it.`
      : 'Run `npm ci` first (with optional dependencies).')
  );
}
