// Completion scripts for bash, zsh and fish. They contain the names of all commands and flags, so that completing a word
// starts no process.
import { ALL_COMMANDS, COMMAND_NAMES } from './all-commands.ts';
import { flagsOf, optionsOf, type CommandLine, type OperandKind, type Option } from './command-line.ts';
import type { SHELLS } from './maintain-commands.ts';

const HELP_WORDS = ['help', '--help', '--version'];

export function completionScript(shell: (typeof SHELLS)[number]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell]();
}

/** What completes the value of an option. */
function valueKind({ argument, choices }: Option): OperandKind {
  if (choices !== undefined) return choices;
  if (argument === 'FILE' || argument === 'STATE') return 'file';
  return argument === 'DIR' ? 'recording' : 'none';
}

const takesValue = ({ argument }: Option): boolean => argument !== undefined;
const spellings = ({ flag, short }: Option): string[] => [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])];

function bashScript(): string {
  const complete = (kind: OperandKind): string => {
    if (typeof kind !== 'string') return `_turntable_words '${kind.join(' ')}'`;
    return { recording: '_turntable_recordings', file: '_turntable_files', none: ':' }[kind];
  };
  const commandCase = (command: CommandLine): string => {
    const values = optionsOf(command)
      .filter(takesValue)
      .map((option) => `        ${spellings(option).join('|')}) ${complete(valueKind(option))}; return ;;\n`);
    const flags = flagsOf(command).join(' ');
    return `    ${command.name})
      case "$previous" in
${values.join('')}      esac
      case "$word" in
        -*) _turntable_words '${flags}' ;;
        *) ${complete(command.operandKind)} ;;
      esac ;;
`;
  };
  return `# bash completion for turntable. Load it: source <(turntable completion bash)
_turntable_words() {
  COMPREPLY=($(compgen -W "$1" -- "$word"))
}
_turntable_paths() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen "$@" -- "$word"))
  # Marks directories and quotes special characters; fails outside of a completion.
  compopt -o filenames 2>/dev/null || true
}
_turntable_recordings() {
  _turntable_paths -o plusdirs -X '!*.ttr' -f
}
_turntable_files() {
  _turntable_paths -f
}
_turntable() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _turntable_words '${[...COMMAND_NAMES, ...HELP_WORDS].join(' ')}'
    return
  fi
  # Bash splits --flag=value into three words.
  if [ "$word" = = ]; then word=; else
    if [ "$previous" = = ]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  fi
  case "$command" in
    help) if [ "$COMP_CWORD" -eq 2 ]; then _turntable_words '${COMMAND_NAMES.join(' ')}'; fi ;;
${ALL_COMMANDS.map(commandCase).join('')}  esac
}
complete -F _turntable turntable
`;
}

function quoteZsh(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteFish(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}

function zshScript(): string {
  const action = (kind: OperandKind): string => {
    if (typeof kind !== 'string') return `(${kind.join(' ')})`;
    return { recording: `_files -g "*.ttr(-.)"`, file: '_files', none: ' ' }[kind];
  };
  const optionSpec = (option: Option): string => {
    const { flag, argument, optionalArgument, isRepeatable, description } = option;
    const text = escapeZsh(description);
    const value = `:${escapeZsh(argument ?? optionalArgument ?? '')}:${action(valueKind(option))}`;
    const suffix = argument === undefined ? (optionalArgument === undefined ? '' : '=-') : '=';
    const valueText = argument === undefined && optionalArgument === undefined ? '' : value;
    return spellings(option)
      .map((each) => {
        const equals = each === `--${flag}` ? suffix : '';
        const optionalColon = suffix === '=-' ? ':' : '';
        return quoteZsh(`${isRepeatable === true ? '*' : ''}${each}${equals}[${text}]${optionalColon}${valueText}`);
      })
      .join(' ');
  };
  const commandCase = (command: CommandLine): string => {
    const specs = [
      ...optionsOf(command).map(optionSpec),
      quoteZsh('(- *)--help[print this help]'),
      ...(command.operandKind === 'none' ? [] : [quoteZsh(`*:operand:${action(command.operandKind)}`)]),
    ];
    return `    ${command.name}) _arguments \\\n${specs.map((each) => `      ${each}`).join(' \\\n')} ;;\n`;
  };
  const descriptions = ALL_COMMANDS.map(({ name, summary }) => `    ${quoteZsh(`${name}:${summary}`)}\n`);
  return `#compdef turntable
# zsh completion for turntable. Load it after compinit: source <(turntable completion zsh)
_turntable() {
  local -a commands
  commands=(
${descriptions.join('')}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _describe command commands ;;
${ALL_COMMANDS.map(commandCase).join('')}  esac
}
if [ "$funcstack[1]" = _turntable ]; then
  _turntable "$@"
else
  compdef _turntable turntable
fi
`;
}

/** Escapes a text in a specification of `_arguments`. */
function escapeZsh(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);
}

function fishScript(): string {
  const inCommand = (name: string): string => `-n '__fish_seen_subcommand_from ${name}'`;
  const valueFlags = (kind: OperandKind): string => {
    if (typeof kind !== 'string') return `-x -a ${quoteFish(kind.join(' '))}`;
    return { recording: `-x -a '(__turntable_recordings)'`, file: '-r -F', none: '-x' }[kind];
  };
  const optionLine = (name: string, option: Option): string => {
    const { flag, short, description } = option;
    const shortText = short === undefined ? '' : ` -s ${short}`;
    const value = takesValue(option) ? ` ${valueFlags(valueKind(option))}` : '';
    return `complete -c turntable ${inCommand(name)} -l ${flag}${shortText}${value} -d ${quoteFish(description)}\n`;
  };
  const operandLine = ({ name, operandKind }: CommandLine): string => {
    if (operandKind === 'none') return '';
    const words =
      typeof operandKind !== 'string'
        ? `-a ${quoteFish(operandKind.join(' '))}`
        : operandKind === 'file'
          ? '-F'
          : `-a '(__turntable_recordings)'`;
    return `complete -c turntable ${inCommand(name)} ${words}\n`;
  };
  const commandLines = (command: CommandLine): string => {
    const { name, summary } = command;
    return [
      `complete -c turntable -n __fish_use_subcommand -a ${name} -d ${quoteFish(summary)}\n`,
      operandLine(command),
      ...optionsOf(command).map((option) => optionLine(name, option)),
    ].join('');
  };
  return `# fish completion for turntable. Save it as ~/.config/fish/completions/turntable.fish
function __turntable_recordings
  __fish_complete_directories (commandline -ct) directory
  for file in (commandline -ct)*.ttr
    echo $file
  end
end
complete -c turntable -f
complete -c turntable -l help -d 'print help'
complete -c turntable -n __fish_use_subcommand -l version -d 'print the version'
complete -c turntable ${inCommand('help')} -a '${COMMAND_NAMES.join(' ')}'
${ALL_COMMANDS.map(commandLines).join('')}`;
}
