// node logging-adapter.ts LOG COMMAND [ARGUMENT…] Runs a debug adapter, and appends all bytes that its client sends to a file.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';

const [log = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] });
const written = createWriteStream(log, { flags: 'a' });
process.stdin.on('data', (bytes: Buffer) => {
  written.write(bytes);
  child.stdin.write(bytes);
});
process.stdin.on('end', () => child.stdin.end());
child.stdin.on('error', () => {});
child.on('exit', (code) => process.exit(code ?? 1));
