// node scripts/on-node.mjs [--node MAJOR] FILE [ARGUMENT…] Runs a file on a Node.js that Turntable supports, whichever
// Node was used to start this one; workspace packages resolve to their sources. The exit code is the file's.
import { spawnSync } from 'node:child_process';
import { majors, missingNode, nodeBinary } from './node-release.mjs';

const args = process.argv.slice(2);
const wanted = args[0] === '--node' ? [Number(args.splice(0, 2)[1])] : majors;
const binary = wanted.map(nodeBinary).find((path) => path !== undefined);
if (binary === undefined) {
  console.error(missingNode(wanted));
  process.exit(1);
}
const { status, signal, error } = spawnSync(binary, ['-C', 'turntable-source', ...args], { stdio: 'inherit' });
if (error) throw error;
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 1);
