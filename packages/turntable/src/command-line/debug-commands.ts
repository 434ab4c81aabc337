// Command lines of `debug`, `dap` and `devtools`.
import { defineCommand } from './command-line.ts';
import { FORCE, KEY, NO_REDACT, PID, PORT, REBUILD, REQUIRE_ISOLATION, START_PHASE, TRUSTED } from './options.ts';

export const DEBUG = defineCommand({
  name: 'debug',
  summary: 'debug a recording, forward and backward',
  operands: '[DIR]',
  usage: ['[options] DIR|FILE.ttr', '[options] --pid PID', '--window | --browser [--port N]', '--connect ADDRESS'],
  description: [
    'Move by statement, turn, message and breakpoint. The recording is replayed once to build its run index. Without a recording, a page or window lets you choose one. In the terminal, help lists all commands; they can also come from a file or a pipe.',
  ],
  optionGroups: [
    {
      title: 'Interface',
      options: [
        { flag: 'repl', description: 'debug in this terminal (the default)' },
        {
          flag: 'commands',
          argument: 'FILE',
          description: 'run the commands in FILE, one a line, and quit; # starts a comment line',
        },
        { flag: 'browser', description: 'serve a page; print its address, which has a secret' },
        {
          flag: 'window',
          description: 'open a desktop window (TURNTABLE_WINDOW names the application; default: turntable-debugger)',
        },
        {
          flag: 'serve',
          description: 'serve clients on this computer; print the address (docs/internals/protocol.md)',
        },
        { flag: 'stdio', description: 'speak the protocol on standard input and output' },
        PORT,
        {
          flag: 'connect',
          argument: 'ADDRESS',
          description:
            'connect this terminal to a served recording; -: read the address from the first line of standard input, since other users can see arguments',
        },
      ],
    },
    { title: 'Replay', options: [PID, START_PHASE, FORCE, REBUILD, TRUSTED, REQUIRE_ISOLATION, NO_REDACT, KEY] },
  ],
  examples: [
    'turntable debug recordings',
    "echo 'goto end; back turn; sender' | tr ';' '\\n' | turntable debug recordings",
    'turntable debug recordings --commands steps.txt',
  ],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the recording cannot be replayed, or a command from a file or pipe failed'],
  ],
  operandKind: 'recording',
});

export const DAP = defineCommand({
  name: 'dap',
  summary: 'debug recordings in editors, over the Debug Adapter Protocol',
  operands: '',
  usage: ['[options]'],
  description: [
    'Serve one editor, which starts this command on standard input and output, or editors that connect to a port. Their configuration names a recording, a program to record, or an address printed by turntable debug --serve (docs/guide/editors.md).',
  ],
  optionGroups: [
    {
      title: 'Options',
      options: [
        {
          flag: 'port',
          argument: 'N',
          description:
            'listen on a port (0: any free one); print port and token, which is random unless TURNTABLE_DAP_TOKEN sets it',
        },
        NO_REDACT,
        KEY,
      ],
    },
  ],
  examples: ['turntable dap', 'turntable dap --port 4711'],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the port cannot be opened'],
  ],
  operandKind: 'none',
});

export const DEVTOOLS = defineCommand({
  name: 'devtools',
  summary: 'debug a recording in Chrome DevTools',
  operands: 'DIR',
  usage: ['[options] DIR|FILE.ttr', '[options] --pid PID'],
  description: [
    'Print the address to open in Chrome and the address of the WebSocket for other clients of its protocol. Both have a secret, and stay the same when the command is started again (docs/guide/devtools.md).',
  ],
  optionGroups: [
    {
      title: 'Interface',
      options: [
        PORT,
        {
          flag: 'discoverable',
          description:
            'tell the address to every user of this computer under /json, for chrome://inspect and node inspect; they can run code in the replay',
        },
      ],
    },
    {
      title: 'Replay',
      options: [
        {
          ...PID,
          description: 'open the recording of a running program, which keeps running; pause moves to its latest events',
        },
        START_PHASE,
        FORCE,
        REBUILD,
        TRUSTED,
        REQUIRE_ISOLATION,
        NO_REDACT,
        KEY,
      ],
    },
  ],
  examples: ['turntable devtools recordings', 'turntable devtools recordings --port 9229 --discoverable'],
  exitCodes: [
    ['0', 'success'],
    ['1', 'the recording cannot be replayed'],
  ],
  operandKind: 'recording',
});
