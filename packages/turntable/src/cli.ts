#!/usr/bin/env node
// The command line. One file per command, loaded when the command is called.
import { resolve } from 'node:path';
import { requireNode, setFacade, version } from '@turntable/replayer/entry';
import { reportFailure, reportUsageError } from './commands/failure.ts';
import { facade } from './facade.ts';

const HELP = `turntable ${version}

Usage
  turntable run [flags] FILE [arguments…]   run a program transformed; the same as node --import turntable/register FILE;
                                            flags are settings and Node's own
  turntable run --capture STATE [--capture-after N] [--handles dead] FILE
                                            the program runs to a job boundary, the Nth from the start, its state goes into a
                                            file, and it ends there; sockets, servers and the like are refused, or left behind
  turntable run --recordings DIR FILE       the program is recorded: snapshots of it go into a directory of its own in DIR
  turntable record [flags] FILE [arguments…]
                                            the same with traces, in recordings/ unless --recordings says where: the run can
                                            be had again
  turntable replay DIR|FILE [--from PHASE] [--until WHERE] [--code recorded|current] [--console show|mute|capture] [--json]
                                            the run of a recording again, compared event by event; ends with 3 where
                                            something differs, and says where
  turntable ls [DIR|FILE] [--json]          the recordings there are: of what, how large, with which snapshots and traces
  turntable services [PID start|stop|snapshot|flush] [--json]
                                            the programs of this user that are being recorded now, and what they can be asked for
  turntable restore [flags] STATE|DIR [--phase N] [--code recorded] [--root DIR]
                                            goes on from a state, or from a snapshot of a recording, the last one unless it is
                                            said which, in a process of its own; with the texts of modules that the recording
                                            has instead of their files; with this directory in the place of the program's
  turntable inspect STATE|DIR [--phase N] [--json]
                                            what a state or a recording holds, and its last snapshot, or another one: actors,
                                            mailboxes, classes; runs nothing of it
  turntable inspect DIR --eval 'snapshot => …' [--phase N] [--json]
                                            what a function answers of a snapshot: snapshot.actors, .classes, .actorsOf('Cart'),
                                            .instancesOf('Cart'), .pathTo(object)
  turntable inspect DIR --trace [--worker N] [--from EVENT] [--count N] [--json]
                                            what came to its threads from outside, event by event, or how much of what
  turntable turns DIR|FILE [--actor NAMES] [--worker N] [--from NUMBER] [--to NUMBER] [--json]
                                            all that ran, turns of actors and calls of native code, in one order of all workers:
                                            with who has sent what; runs it again for that
  turntable debug [DIR|FILE] [--browser] [--window] [--repl] [--serve]
                                            moves about in a recording, forward and backward, by turns, messages, statements and
                                            breakpoints; in a browser, in a window, in a terminal, or for others on this computer;
                                            without a recording a window asks which one
  turntable dap [--port N]                  the same in editors (VS Code, Neovim, Zed, Emacs), by the Debug Adapter Protocol
  turntable devtools DIR|FILE [--port N]    the same in Chrome DevTools: prints the address to open
  turntable export DIR [--as json|chrome] [-o FILE] [--redact NAME,…]
                                            all that came to its threads, in the order of time, as one file: for Perfetto, too
  turntable pack DIR [-o FILE] [--redact NAME,…] [--json]
                                            a recording as one file; replay, inspect and export take such a file, too
  turntable unpack FILE [DIR] [--json]      and as a directory again
  turntable doctor [FILE] [--json]          which packages and builtins are on which side of the boundary, and why,
                                            and what of the program cannot be transformed
  turntable --help | --version              and turntable COMMAND --help, with examples

Settings, as flags, in the environment, or in turntable.config.ts, which is asked last
  --include LIST   TURNTABLE_INCLUDE     packages or parts of paths, separated by commas: always transformed
  --exclude LIST   TURNTABLE_EXCLUDE     the same: never transformed
  --cache DIR      TURNTABLE_CACHE       directory for transformed code, or "off"
  --explain        TURNTABLE_EXPLAIN=1   print the classification when the process ends
  --recordings DIR TURNTABLE_RECORDINGS  where recordings go; "off" for none
  --snapshots WHEN TURNTABLE_SNAPSHOTS   every=30s,work=250ms,turns=100000,requests=1000,trace=64MB,signal=SIGUSR2,end: some
  --services off   TURNTABLE_SERVICES    off: turntable services does not list it; a directory: where sockets of services are
  --key FILE       TURNTABLE_KEY         recordings are sealed with the key in this file: 32 bytes, 64 hexadecimal digits
                                         or base64; also for the commands that read them
  --trace          TURNTABLE_TRACE=1     what comes from outside is recorded as well, as by turntable record
  --later          TURNTABLE_TRACE=later the same from app.record() on; --later=SIGUSR2, later=SIGUSR2: from a signal on
  --keep LIMITS    TURNTABLE_KEEP        count=20,age=1d,bytes=2GB: what is kept of a recording's snapshots and
                                         traces; recordings=10,total=20GB: of the recordings in the directory;
                                         failed: a recording only if its program has not ended well

Ends with 0 if all went well, 1 if something cannot be done, 2 if the arguments say nothing that could be done; replay and turns with 3 where something differs;
run, record and restore as the program does
`;

type Command = (args: readonly string[]) => number | Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<readonly [command: Command, usage: string]>>> = {
  dap: () => import('./commands/dap.ts').then((module) => [module.dapCommand, module.DAP_USAGE]),
  debug: () => import('./commands/debug.ts').then((module) => [module.debugCommand, module.DEBUG_USAGE]),
  devtools: () => import('./commands/devtools.ts').then((module) => [module.devtoolsCommand, module.DEVTOOLS_USAGE]),
  doctor: () => import('./commands/doctor.ts').then((module) => [module.doctor, module.DOCTOR_USAGE]),
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

/** Commands that may need the key of a recording: `--key FILE`, or the variable. */
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

/** Commands that pass all arguments after the file to the program. */
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
  process.stderr.write(`turntable: there is no ${subject}; ${suggestion}turntable --help lists what there is\n`);
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
  if (argsWithoutKey === undefined)
    return reportUsageError(name, '--key lacks its value, the file of a key; write --key=…');
  const [command] = await load();
  try {
    if (RECORDING_COMMANDS.has(name) && process.env['TURNTABLE_KEY']) (await import('@turntable/recording')).shareKey();
    return await command(argsWithoutKey);
  } catch (error) {
    return reportFailure(name, undefined, error);
  }
}

// A closed pipe ends the output: `turntable ls | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
setFacade(facade);
process.exitCode = await main(process.argv.slice(2));
