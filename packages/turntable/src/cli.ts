#!/usr/bin/env node
// The command line. Each command has a file, which is loaded when the command is called.
import { resolve } from 'node:path';
import { requireNode, setFacade, version } from '@turntable/replayer/entry';
import { reportFailure, reportUsageError } from './commands/failure.ts';
import { facade } from './facade.ts';

const HELP = `turntable ${version}

Records Node.js programs, replays them exactly and steps backwards through them.

Usage: turntable COMMAND [options]

  run FILE         run a program transformed, as
                   node --import turntable/register FILE does
  record FILE      run and record a program
  replay DIR       replay a recording and report the first divergence
  debug [DIR]      debug a recording, forward and backward: in a terminal,
                   a browser (--browser) or a window (--window)
  dap              the same in editors, over the Debug Adapter Protocol
  devtools DIR     the same in Chrome DevTools
  turns DIR        list all tasks of a recording, with their senders
  inspect DIR      show the contents of a recording, snapshot or state
  export DIR       export the timeline, as JSON or for Perfetto
  ls [DIR]         list recordings
  pack DIR         pack a recording into one file
  unpack FILE      unpack it into a directory
  restore DIR      resume a program from a state or snapshot
  services [PID]   list running recorded programs, or send one a command
  doctor [FILE]    show which code is transformed or stays native, and why
  explain CODE     explain an error code or message

turntable COMMAND --help shows options and examples. DIR is a recording or a
directory of recordings (the last one is used); a packed recording
(.ttr) can be used in its place.

Settings, as flags, environment variables or in turntable.config.ts:

  --include LIST    TURNTABLE_INCLUDE    transform these packages or paths
  --exclude LIST    TURNTABLE_EXCLUDE    never transform these
  --cache DIR       TURNTABLE_CACHE      cache of transformed code, or "off"
  --explain         TURNTABLE_EXPLAIN=1  print the classification at exit
  --recordings DIR  TURNTABLE_RECORDINGS store recordings there; "off" for none
  --snapshots WHEN  TURNTABLE_SNAPSHOTS  take snapshots: every=30s, work=250ms,
                                         turns=100000, requests=1000,
                                         trace=64MB, signal=SIGUSR2, end
  --trace           TURNTABLE_TRACE=1    record inputs as well, as record does
  --later           TURNTABLE_TRACE=later
                                         record from app.record() on;
                                         --later=SIGUSR2: from a signal on
  --keep LIMITS     TURNTABLE_KEEP       limit snapshots and traces: count=20,
                                         age=1d, bytes=2GB; all recordings:
                                         recordings=10, total=20GB; failed:
                                         keep recordings of failures only
  --services off    TURNTABLE_SERVICES   hide from turntable services; or the
                                         directory of its sockets
  --key FILE        TURNTABLE_KEY        seal recordings with the key in FILE
                                         (32 bytes, 64 hexadecimal digits or
                                         base64), and open sealed ones

Exit codes: 0 success, 1 failure, 2 usage error, 3 divergence (replay, turns).
run, record and restore exit as the program does.
`;

type Command = (args: readonly string[]) => number | Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<readonly [command: Command, usage: string]>>> = {
  dap: () => import('./commands/dap.ts').then((module) => [module.dapCommand, module.DAP_USAGE]),
  debug: () => import('./commands/debug.ts').then((module) => [module.debugCommand, module.DEBUG_USAGE]),
  devtools: () => import('./commands/devtools.ts').then((module) => [module.devtoolsCommand, module.DEVTOOLS_USAGE]),
  doctor: () => import('./commands/doctor.ts').then((module) => [module.doctor, module.DOCTOR_USAGE]),
  explain: () => import('./commands/explain.ts').then((module) => [module.explain, module.EXPLAIN_USAGE]),
  export: () => import('./commands/export.ts').then((module) => [module.exportCommand, module.EXPORT_USAGE]),
  ls: () => import('./commands/ls.ts').then((module) => [module.ls, module.LS_USAGE]),
  pack: () => import('./commands/pack.ts').then((module) => [module.pack, module.PACK_USAGE]),
  record: () => import('./commands/record.ts').then((module) => [module.record, module.RECORD_USAGE]),
  replay: () => import('./commands/replay.ts').then((module) => [module.replayCommand, module.REPLAY_USAGE]),
  inspect: () => import('./commands/inspect.ts').then((module) => [module.inspect, module.INSPECT_USAGE]),
  restore: () => import('./commands/restore.ts').then((module) => [module.restoreCommand, module.RESTORE_USAGE]),
  services: () => import('./commands/services.ts').then((module) => [module.servicesCommand, module.SERVICES_USAGE]),
  turns: () => import('./commands/turns.ts').then((module) => [module.turnsCommand, module.TURNS_USAGE]),
  unpack: () => import('./commands/unpack.ts').then((module) => [module.unpack, module.UNPACK_USAGE]),
  run: () => import('./commands/run.ts').then((module) => [module.run, module.RUN_USAGE]),
};

/** Commands that may need the key of a recording, from `--key FILE` or TURNTABLE_KEY. */
const RECORDING_COMMANDS: ReadonlySet<string> = new Set([
  'dap',
  'debug',
  'devtools',
  'export',
  'inspect',
  'ls',
  'pack',
  'replay',
  'restore',
  'turns',
]);

/**
 * Removes `--key` from the arguments; undefined if its value is missing. The path becomes absolute for child processes.
 */
function takeKeyFlag(args: readonly string[]): readonly string[] | undefined {
  const index = args.findIndex((arg) => arg === '--key' || arg.startsWith('--key='));
  const hasSeparateValue = args[index] === '--key';
  const value = index === -1 ? undefined : hasSeparateValue ? args[index + 1] : args[index]?.slice('--key='.length);
  if (index !== -1 && !value) return undefined;
  const file = value ?? process.env['TURNTABLE_KEY'];
  if (file !== undefined && file !== '') process.env['TURNTABLE_KEY'] = resolve(file);
  return index === -1 ? args : args.toSpliced(index, hasSeparateValue ? 2 : 1);
}

/** Commands that pass all arguments after the file on to the program. */
const PROGRAM_COMMANDS: ReadonlySet<string> = new Set(['record', 'restore', 'run']);

async function isHelpRequest(name: string, args: readonly string[]): Promise<boolean> {
  const ownArgs = PROGRAM_COMMANDS.has(name)
    ? args.slice(0, (await import('./commands/run.ts')).indexOfFile(args))
    : args;
  return ownArgs.includes('--help') || ownArgs.includes('-h');
}

async function reportUnknown(name: string): Promise<number> {
  const isOption = name.startsWith('-');
  const { closestName } = await import('@turntable/loader');
  const closest = isOption ? undefined : closestName(name, Object.keys(COMMANDS));
  const suggestion = closest === undefined ? '' : `did you mean ${closest}? `;
  const subject = isOption ? `option ${name}` : `command "${name}"`;
  process.stderr.write(`turntable: there is no ${subject}; ${suggestion}turntable --help lists all\n`);
  return 2;
}

async function main(args: readonly string[]): Promise<number> {
  const [name, ...commandArgs] = args;
  if (name === 'help' && commandArgs[0] !== undefined) return main([commandArgs[0], '--help']);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${version}\n`);
    return 0;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) return reportUnknown(name);
  if (await isHelpRequest(name, commandArgs)) {
    const [, usage] = await load();
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  requireNode();
  const argsWithoutKey = RECORDING_COMMANDS.has(name) ? takeKeyFlag(commandArgs) : commandArgs;
  if (argsWithoutKey === undefined) return reportUsageError(name, '--key needs a file; write --key=FILE');
  const [command] = await load();
  try {
    if (RECORDING_COMMANDS.has(name) && process.env['TURNTABLE_KEY']) (await import('@turntable/recording')).shareKey();
    return await command(argsWithoutKey);
  } catch (error) {
    return reportFailure(name, undefined, error);
  }
}

// A closed pipe ends the output, as in `turntable ls | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
setFacade(facade);
process.exitCode = await main(process.argv.slice(2));
