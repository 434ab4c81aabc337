#!/usr/bin/env node
// The command line: which command, and what it answers. One file per command.
import { doctor } from './doctor.ts';
import { version } from './index.ts';
import { run } from './run.ts';

const HELP = `turntable ${version}

Usage
  turntable run FILE [arguments…]   run a program transformed; the same as node --import turntable/register FILE
  turntable doctor [FILE] [--json]  which packages and builtins are on which side of the boundary, and why
  turntable --help | --version

Environment
  TURNTABLE_INCLUDE, TURNTABLE_EXCLUDE   packages or parts of paths, separated by commas: always or never transformed
  TURNTABLE_CACHE                        directory for transformed code, or "off"
  TURNTABLE_EXPLAIN=1                    print the classification when the process ends
`;

type Command = (args: readonly string[]) => number | Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = { doctor, run };

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`turntable: there is no command "${name}"; turntable --help lists them\n`);
    return 2;
  }
  return command(rest);
}

process.exitCode = await main(process.argv.slice(2));
