// The console: completion and help of `TimeTravel`, results of its commands, `$_`, and unfinished inputs.
import { expect, test } from 'vitest';
import type { CdpClient, CdpRemoteObject } from '../../../test/devtools/cdp-client.ts';
import { ScriptedValues } from '../../time-machine/test/scripted-values.ts';
import { debugCart } from './scripted-session.ts';

interface Evaluated {
  readonly result: CdpRemoteObject;
  readonly exceptionDetails?: { readonly exception: CdpRemoteObject };
}

interface ListedProperty {
  readonly name: string;
  readonly value: CdpRemoteObject;
}

/** Evaluates an input as the console of Chrome does when the user presses Enter. */
function enter(client: CdpClient, expression: string): Promise<Evaluated> {
  return client.request('Runtime.evaluate', {
    expression,
    objectGroup: 'console',
    includeCommandLineAPI: true,
    generatePreview: true,
    replMode: true,
  });
}

/** Evaluates an input as the console of Chrome does while the user is typing. */
function complete(client: CdpClient, expression: string): Promise<Evaluated> {
  const params = { objectGroup: 'completion', includeCommandLineAPI: true, throwOnSideEffect: true };
  return client.request('Runtime.evaluate', { expression, ...params });
}

async function propertiesOf(client: CdpClient, { objectId }: CdpRemoteObject): Promise<readonly ListedProperty[]> {
  return (await client.request<{ result: ListedProperty[] }>('Runtime.getProperties', { objectId })).result;
}

async function clientInFrame(): Promise<CdpClient> {
  const values = new ScriptedValues([{ count: 2, name: 'tea', list: [1, 2], take: () => 1 }]);
  const client = await debugCart({ values });
  await client.runToPause('TimeTravel.goto', { position: '0.2:1.5' });
  return client;
}

test('clients complete TimeTravel and its commands', async () => {
  const client = await clientInFrame();
  expect(await client.request('Runtime.globalLexicalScopeNames')).toEqual({ names: ['TimeTravel'] });
  const { result } = await complete(client, 'TimeTravel');
  expect(result).toMatchObject({ type: 'object', className: 'TimeTravel' });
  const commands = await propertiesOf(client, result);
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['help', 'stepBack', 'whoWrote']));
  expect(commands.find(({ name }) => name === 'goto')?.value).toMatchObject({
    type: 'function',
    description: 'function goto(position) { [command] }',
  });
  expect((await complete(client, 'TimeTravel.move')).result.description).toMatch(
    /^function move\(\{move, direction\?, arguments\?\}\)/,
  );
  // While the user is typing, nothing moves.
  expect(await complete(client, 'TimeTravel.stepBack()')).toHaveProperty('exceptionDetails');
  const plain = await client.request<Evaluated>('Runtime.evaluate', { expression: 'TimeTravel' });
  expect(plain).toHaveProperty('exceptionDetails');
});

test('TimeTravel.help() prints all commands, and the parameters of one', async () => {
  const client = await debugCart();
  const nextLine = async (): Promise<string> => {
    const { args } = await client.nextEvent<{ args: CdpRemoteObject[] }>('Runtime.consoleAPICalled');
    return String(args[0]?.value);
  };
  client.log.discardReceived();
  expect(await enter(client, 'TimeTravel.help()')).toEqual({ result: { type: 'undefined' } });
  expect(await nextLine()).toMatch(/^Commands of TimeTravel\./);
  expect(await nextLine()).toMatch(/^TimeTravel\.help\(command\?\) {2}/);
  expect(await nextLine()).toMatch(/^TimeTravel\.stepBack\(\) {2}To the previous statement/);
  client.log.discardReceived();
  await enter(client, 'TimeTravel.help("find")');
  expect(await nextLine()).toMatch(/^TimeTravel\.find\(\{move, direction\?, arguments\?, from\?\}\)/);
  expect(await nextLine()).toBe('  move  the id of a move');
  expect(await nextLine()).toBe('  direction?  forward or backward; forward by default');
  const unknown = await client.requestRaw('TimeTravel.help', { command: 'fly' });
  expect(unknown.error?.message).toMatch(/^there is no command fly; available: help, stepBack/);
});

test('results of commands are objects', async () => {
  const client = await debugCart();
  const { result } = await enter(client, 'TimeTravel.moves()');
  expect(result).toMatchObject({ type: 'object', className: 'Object', preview: { description: 'Object' } });
  const [moves] = await propertiesOf(client, result);
  expect(moves).toMatchObject({ name: 'moves', value: { subtype: 'array', className: 'Array' } });
  const [first] = await propertiesOf(client, moves?.value ?? { type: 'undefined' });
  const parts = await propertiesOf(client, first?.value ?? { type: 'undefined' });
  expect(parts.find(({ name }) => name === 'id')?.value).toMatchObject({ type: 'string' });
});

test('the argument of a command may be an expression', async () => {
  const client = await clientInFrame();
  const argument = "{ kind: 'output', text: name, hitNumber: count }";
  const { result } = await enter(client, `TimeTravel.setBreakpoint(${argument})`);
  expect(await propertiesOf(client, result)).toMatchObject([{ name: 'breakpointId' }]);
  const { result: set } = await client.request<{ result: { breakpoints: object[] } }>('TimeTravel.ask', {
    method: 'breakpoints',
  });
  expect(set.breakpoints).toMatchObject([{ kind: 'output', text: 'tea', hitNumber: 2 }]);
  const failed = await client.requestRaw('Runtime.evaluate', {
    expression: 'TimeTravel.goto(nowhere)',
    includeCommandLineAPI: true,
  });
  expect(failed.error?.message).toBe(
    'parameters must be JSON or an expression, not nowhere: ReferenceError: nowhere is not defined',
  );
});

test('$_ is the result of the last input', async () => {
  const client = await clientInFrame();
  const valueOf = async (expression: string): Promise<unknown> => (await enter(client, expression)).result.value;
  expect(await valueOf('typeof $_')).toBe('undefined');
  expect(await valueOf('count + 1')).toBe(3);
  expect(await valueOf('$_ * 2')).toBe(6);
  expect(await valueOf("'$_' + $_")).toBe('$_6');
  await enter(client, 'name');
  expect(await valueOf('$_.length')).toBe(3);
  await enter(client, '-0');
  expect(await valueOf('Object.is($_, -0)')).toBe(true);
  await enter(client, 'list');
  // Neither hovers nor inputs that are being typed are results.
  await complete(client, 'count');
  expect((await complete(client, '$_.length')).result.value).toBe(2);
  expect(await valueOf('$_[1]')).toBe(2);
  await enter(client, 'TimeTravel.find({"move": "task"})');
  await enter(client, 'TimeTravel.cursor()');
  expect(await valueOf('$_.cursor.position')).toBe('0.2:1.5');
  // A program may have names that contain it.
  await enter(client, 'count');
  expect((await enter(client, 'a$_')).exceptionDetails?.exception.description).toBe(
    'ReferenceError: a$_ is not defined',
  );
});

test('inputs are evaluated in order', async () => {
  const client = await clientInFrame();
  const results = await Promise.all(['count + 1', '$_ * 2', '$_ + 1'].map((each) => enter(client, each)));
  expect(results.map(({ result }) => result.value)).toEqual([3, 6, 7]);
});

test('$_ is not an object of another position, and no expression with side effects is evaluated again', async () => {
  const client = await clientInFrame();
  await enter(client, 'list');
  await client.runToPause('TimeTravel.stepBack');
  expect((await enter(client, '$_')).exceptionDetails?.exception.description).toMatch(
    /\$_ is an object of another position or call frame/,
  );
  await client.runToPause('TimeTravel.goto', { position: '0.2:1.5' });
  await enter(client, '(count = 5, list)');
  expect((await enter(client, '$_[0]')).exceptionDetails?.exception.description).toMatch(/may have side effects/);
});

test.each([
  ['1 + 1', undefined],
  ['({', 'SyntaxError: Unexpected end of input'],
  ['`text', 'SyntaxError: Unexpected end of input'],
  ['1 +* 1', "SyntaxError: Unexpected token '*'"],
])('compileScript says whether an input is complete: %s', async (expression, description) => {
  const client = await debugCart();
  const compiled = await client.request('Runtime.compileScript', { expression, sourceURL: '', persistScript: false });
  expect(compiled['exceptionDetails']).toEqual(
    description && expect.objectContaining({ exception: expect.objectContaining({ description }) as object }),
  );
});
