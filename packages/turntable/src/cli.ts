#!/usr/bin/env node
// The command line. Each command has a file, which is loaded when the command is called.
import { resolve } from 'node:path';
import { requireNode, setFacade, version } from '@turntable/replayer/entry';
import { ALL_COMMANDS, COMMAND_GROUPS, COMMAND_NAMES, RENAMED_COMMANDS } from './command-line/all-commands.ts';
import { optionsOf, type CommandLine } from './command-line/command-line.ts';
import { helpText, overviewText } from './command-line/help.ts';
import { KEY, NO_REDACT } from './command-line/options.ts';
import { reportFailure, reportUsageError, warnRenamed } from './commands/failure.ts';
import { facade } from './facade.ts';
import { print, printError } from './printing.ts';

const OVERVIEW = {
  title: 'Record Node.js programs, replay them exactly and step backwards through them',
  groups: COMMAND_GROUPS,
  notes: [
    'DIR is a recording or a directory of recordings; the last one is used. A packed recording (.ttr) can be used in its place, except by restore.',
    'turntable COMMAND --help shows options, examples and exit codes. turntable run --help lists all settings with their environment variables.',
  ],
  examples: ['turntable record app.ts', 'turntable replay recordings', 'turntable debug recordings'],
  exitCodes: [
    ['0', 'success'],
    ['1', 'failure'],
    ['2', 'usage error'],
    ['3', 'divergence (replay, tasks)'],
    ['N', 'run, record and restore exit as the program does'],
  ],
} as const;

type Command = (args: readonly string[]) => number | Promise<number>;

/** Loads the implementation of each command. */
const IMPLEMENTATIONS: Readonly<Record<string, () => Promise<Command>>> = {
  completion: () => import('./commands/completion.ts').then((module) => module.completion),
  dap: () => import('./commands/dap.ts').then((module) => module.dapCommand),
  debug: () => import('./commands/debug.ts').then((module) => module.debugCommand),
  devtools: () => import('./commands/devtools.ts').then((module) => module.devtoolsCommand),
  doctor: () => import('./commands/doctor.ts').then((module) => module.doctor),
  explain: () => import('./commands/explain.ts').then((module) => module.explain),
  export: () => import('./commands/export.ts').then((module) => module.exportCommand),
  inspect: () => import('./commands/inspect.ts').then((module) => module.inspect),
  ls: () => import('./commands/ls.ts').then((module) => module.ls),
  pack: () => import('./commands/pack.ts').then((module) => module.pack),
  record: () => import('./commands/record.ts').then((module) => module.record),
  replay: () => import('./commands/replay.ts').then((module) => module.replayCommand),
  reseal: () => import('./commands/reseal.ts').then((module) => module.reseal),
  restore: () => import('./commands/restore.ts').then((module) => module.restoreCommand),
  run: () => import('./commands/run.ts').then((module) => module.run),
  services: () => import('./commands/services.ts').then((module) => module.servicesCommand),
  tasks: () => import('./commands/tasks.ts').then((module) => module.tasksCommand),
  unpack: () => import('./commands/unpack.ts').then((module) => module.unpack),
};

/** Whether a command reads recordings that may need a key, from `--key FILE` or TURNTABLE_KEY. */
function takesKey(command: CommandLine): boolean {
  return optionsOf(command).includes(KEY);
}

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

/** Removes `--no-redact` from the arguments. */
function takeNoRedactFlag(args: readonly string[]): readonly string[] {
  const flag = `--${NO_REDACT.flag}`;
  if (args.includes(flag)) process.env['TURNTABLE_REDACT'] = 'off';
  return args.filter((arg) => arg !== flag);
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
  const { didYouMean } = await import('./nearest.ts');
  const isOption = name.startsWith('-');
  const hint = isOption ? didYouMean(name, ['--help', '--version'], '') : didYouMean(name, COMMAND_NAMES);
  printError(`turntable: unknown ${isOption ? `option ${name}` : `command "${name}"`}${hint}\nRun turntable --help\n`);
  return 2;
}

/** The current name of a command. Warns about an old one. */
function currentName(name: string): string {
  const newName = Object.hasOwn(RENAMED_COMMANDS, name) ? RENAMED_COMMANDS[name] : undefined;
  if (newName !== undefined) warnRenamed(`turntable ${name}`, `turntable ${newName}`);
  return newName ?? name;
}

async function main(args: readonly string[]): Promise<number> {
  const [givenName, ...commandArgs] = args;
  if (givenName === 'help' && commandArgs[0] !== undefined) return main([commandArgs[0], '--help']);
  if (givenName === undefined || givenName === '--help' || givenName === '-h' || givenName === 'help') {
    print(overviewText(OVERVIEW));
    return 0;
  }
  if (givenName === '--version' || givenName === '-v') {
    print(`${version}\n`);
    return 0;
  }
  const name = currentName(givenName);
  const command = ALL_COMMANDS.find((each) => each.name === name);
  const load = Object.hasOwn(IMPLEMENTATIONS, name) ? IMPLEMENTATIONS[name] : undefined;
  if (command === undefined || load === undefined) return reportUnknown(name);
  if (await isHelpRequest(name, commandArgs)) {
    print(helpText(command));
    return 0;
  }
  requireNode();
  const argsWithoutKey = takesKey(command) ? takeKeyFlag(commandArgs) : commandArgs;
  if (argsWithoutKey === undefined) return reportUsageError(name, '--key needs a file; write --key=FILE');
  const run = await load();
  try {
    if (takesKey(command) && process.env['TURNTABLE_KEY']) (await import('@turntable/recording')).shareKey();
    return await run(optionsOf(command).includes(NO_REDACT) ? takeNoRedactFlag(argsWithoutKey) : argsWithoutKey);
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
