// Console inputs that are commands, such as `TimeTravel.stepBack()` or `TimeTravel.goto("2.137")`, and the object
// `TimeTravel`, from which clients complete inputs.
import { validationError } from '@turntable/time-machine/protocol';
import type { CdpHandler } from './cdp-connection.ts';
import { isConsoleInput, type CdpEvaluator, type ConsoleInput } from './cdp-evaluator.ts';
import { DevtoolsError } from './devtools-error.ts';
import type { CdpRequest, Command } from './protocol/command.ts';
import { TIME_TRAVEL } from './protocol/time-travel.ts';
import type { RemoteObject } from './remote-object.ts';
import type { RemoteObjects } from './remote-objects.ts';

/** The name of the object in the console. */
export const COMMANDS_NAME = 'TimeTravel';
const COMMANDS: Readonly<Record<string, Command>> = TIME_TRAVEL.commands;
/** A call, the object or one of its methods: `TimeTravel.goto("2.137")`, `TimeTravel`, `TimeTravel.goto`. */
const INPUT = /^\s*TimeTravel(?:\.(?<name>\w+)(?<call>\(\s*(?<argument>[\s\S]*?)\s*\))?)?\s*;?\s*$/;

interface ConsoleCommandsDeps {
  readonly objects: RemoteObjects;
  readonly evaluator: CdpEvaluator;
  /** Returns the handler of a command of the domain `TimeTravel`. */
  readonly findHandler: (name: string) => CdpHandler | undefined;
}

export class ConsoleCommands {
  readonly #deps: ConsoleCommandsDeps;

  constructor(deps: ConsoleCommandsDeps) {
    this.#deps = deps;
  }

  /** Evaluates a console input that is about `TimeTravel`; undefined for any other input. */
  evaluate(input: ConsoleInput, request: CdpRequest): Promise<object> | undefined {
    const groups = isConsoleInput(input) ? INPUT.exec(input.expression)?.groups : undefined;
    if (groups === undefined) return undefined;
    const { name, call, argument = '' } = groups;
    if (name === undefined) return Promise.resolve({ result: this.#object() });
    const handler = this.#deps.findHandler(name);
    if (handler === undefined) return undefined;
    if (call === undefined) return Promise.resolve({ result: functionOf(name, handler.command) });
    // The input is still being typed.
    if (input.throwOnSideEffect === true) return undefined;
    return this.#run(handler, argument, request);
  }

  async #run({ command, run }: CdpHandler, argument: string, request: CdpRequest): Promise<object> {
    const params = await this.#parameters(command, argument, request.signal);
    const problem = validationError(command.params, params, 'parameters');
    if (problem !== undefined) throw new DevtoolsError('TT_CDP_PARAMS', problem);
    const { found, reason, ...rest } = { ...(await run(params, request)) } as Readonly<Record<string, unknown>>;
    // `Debugger.paused` has reported the new position already.
    const hasNoResult = found === true || Object.keys(rest).length === 0;
    const value = found === false ? reason : hasNoResult ? undefined : rest;
    this.#deps.evaluator.keepResult(value);
    return { result: this.#deps.objects.data(value) };
  }

  /** The parameters in an argument: an object, or the value of the first parameter. */
  async #parameters({ params }: Command, argument: string, signal: AbortSignal): Promise<object> {
    if (argument === '') return {};
    const value = await this.#valueOf(argument, signal);
    if (typeof value === 'object' && value !== null) return value;
    const [first = ''] = Object.keys(params.json.properties ?? {});
    return { [first]: value };
  }

  /** Parses an argument as JSON, or evaluates it in the innermost frame. */
  async #valueOf(argument: string, signal: AbortSignal): Promise<unknown> {
    try {
      return JSON.parse(/^'[^'"\\]*'$/.test(argument) ? `"${argument.slice(1, -1)}"` : argument) as unknown;
    } catch {
      return (await this.#evaluatedValue(argument, signal)).value;
    }
  }

  async #evaluatedValue(argument: string, signal: AbortSignal): Promise<RemoteObject> {
    const params = { expression: `(${argument})`, returnByValue: true, throwOnSideEffect: true };
    let reason: string | undefined;
    try {
      const { result, exceptionDetails } = await this.#deps.evaluator.evaluate(params, undefined, signal);
      if (exceptionDetails === undefined) return result;
      reason = result.description;
    } catch (error) {
      reason = (error as Error).message;
    }
    throw new DevtoolsError('TT_CDP_PARAMS', `parameters must be JSON or an expression, not ${argument}: ${reason}`);
  }

  #object(): RemoteObject {
    const properties = Object.entries(COMMANDS).map(([name, command]) => ({ name, value: functionOf(name, command) }));
    return this.#deps.objects.named(COMMANDS_NAME, properties);
  }
}

/** Returns the lines of the help, for all commands or for one. Throws if there is no such command. */
export function helpLines(name?: string): string[] {
  if (name === undefined)
    return [
      `Commands of ${COMMANDS_NAME}. ${COMMANDS_NAME}.help("move") describes the parameters of one.`,
      ...Object.entries(COMMANDS).map(([each, command]) => `${signatureOf(each, command)}  ${command.description}`),
    ];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new DevtoolsError(
      'TT_CDP_PARAMS',
      `there is no command ${name}; available: ${Object.keys(COMMANDS).join(', ')}`,
    );
  const { properties = {}, required = [] } = command.params.json;
  return [
    `${signatureOf(name, command)}  ${command.description}`,
    ...Object.entries(properties).map(([each, { description = '', enum: values }]) => {
      const texts = [values?.join(' or '), description].filter((text) => text !== undefined && text !== '');
      return `  ${each}${required.includes(each) ? '' : '?'}  ${texts.join('; ')}`;
    }),
  ];
}

/** Returns a call with the names of the parameters, such as `TimeTravel.move({move, direction?})`. */
function signatureOf(name: string, { params }: Command): string {
  const { properties = {}, required = [] } = params.json;
  const names = Object.keys(properties).map((each) => (required.includes(each) ? each : `${each}?`));
  return `${COMMANDS_NAME}.${name}(${names.length > 1 ? `{${names.join(', ')}}` : names.join('')})`;
}

function functionOf(name: string, command: Command): RemoteObject {
  const signature = signatureOf(name, command).slice(COMMANDS_NAME.length + 1);
  return { type: 'function', className: 'Function', description: `function ${signature} { [command] }` };
}
