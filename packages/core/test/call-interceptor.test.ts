// Tables of call modes, and the replacement of methods.
import { expect, it } from 'vitest';
import {
  checkMethods,
  createHandlers,
  interceptMethods,
  type CallInterceptor,
  type CallModes,
} from '../src/undo/call-interceptor.ts';

class Base {
  readonly log: string[] = [];
  inherited(): string {
    this.log.push('inherited');
    return 'result of inherited';
  }
}

class Subject extends Base {
  slot: (() => void) | undefined;
  send(text: string): string {
    this.log.push(`send ${text}`);
    return `sent ${text}`;
  }
  look(): void {
    this.log.push('look');
  }
  observe(): void {
    this.log.push('observe');
  }
  reject(): void {
    this.log.push('reject');
  }
  special(): void {
    this.log.push('special');
  }
  get text(): string {
    throw new Error('a getter was called');
  }
  protected hidden(): void {
    this.log.push('hidden');
  }
}

const MODES = {
  inherited: 'free',
  slot: { ifPresent: 'apart' },
  send: 'out',
  look: 'query',
  observe: 'apart',
  reject: 'refuse',
  special: 'wrapped',
  hidden: 'free',
} as const satisfies CallModes<Subject, 'hidden'>;

/** Interceptor of a task that is re-executed, without recorded results. */
function reexecuting(): CallInterceptor & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    calls,
    callProgram: (call) => call(),
    createForProgram: (make) => make(),
    callOut: (name) => void calls.push(`out ${name}`) as never,
    query: (name) => void calls.push(`query ${name}`) as never,
    runApart: () => void calls.push('apart') as never,
    runAsProgram: (run) => run(),
    preventUndo: (why) => void calls.push(why),
  };
}

const intercept = (subject: Subject, interceptor = reexecuting(), modes: typeof MODES = MODES): void =>
  interceptMethods(subject, modes, {
    ...createHandlers(interceptor, 'it was rejected'),
    wrapped: (name, run, args) => [name, run(), args],
  });

/** A table that a caller without types may pass. */
const changed = (change: Record<string, unknown>): typeof MODES =>
  Object.fromEntries(Object.entries({ ...MODES, ...change }).filter(([, mode]) => mode !== undefined)) as never;

it('re-execution runs only free and wrapped methods', () => {
  const subject = new Subject();
  subject.slot = () => void subject.log.push('slot');
  const interceptor = reexecuting();
  intercept(subject, interceptor);
  subject.send('a');
  subject.look();
  subject.observe();
  subject.reject();
  subject.slot();
  expect(subject.log).toEqual([]);
  expect(interceptor.calls).toEqual(['out send', 'query look', 'apart', 'it was rejected', 'apart', 'apart']);
  expect(subject.inherited()).toBe('result of inherited');
  expect((subject.special as (...args: number[]) => unknown)(1, 2)).toEqual(['special', undefined, [1, 2]]);
  expect(subject.log).toEqual(['inherited', 'special']);
});

it('passes receiver, arguments and result through outside of re-execution', () => {
  const subject = new Subject();
  intercept(subject, { ...reexecuting(), callOut: (_, ask) => ask() });
  expect(subject.send('a')).toBe('sent a');
  expect(subject.log).toEqual(['send a']);
});

it.each(Object.keys(MODES).filter((name) => name !== 'slot'))('refuses a table without %s', (name) => {
  const subject = new Subject();
  expect(() => intercept(subject, undefined, changed({ [name]: undefined }))).toThrow(`Subject.${name} has no mode`);
  expect(Object.hasOwn(subject, 'send')).toBe(false);
});

it('refuses a mode of a method that does not exist, unless it is optional', () => {
  expect(() => intercept(new Subject(), undefined, changed({ sent: 'out' }))).toThrow(
    expect.objectContaining({ code: 'TT_CALL_MODE', message: expect.stringContaining('Subject.sent') as string }),
  );
  intercept(new Subject(), undefined, changed({ sent: { ifPresent: 'out' } }));
});

it('refuses methods unknown to the type of the table: of a subclass, of the object, with a symbol as name', () => {
  class Extended extends Subject {
    more(): void {}
  }
  expect(() => intercept(new Extended())).toThrow('Extended.more has no mode');
  expect(() => intercept(Object.assign(new Subject(), { more() {} }))).toThrow('Subject.more has no mode');
  expect(() => intercept(Object.assign(new Subject(), { [Symbol.dispose]() {} }))).toThrow('Symbol.dispose');
  const subject = new Subject();
  subject.slot = () => {};
  expect(() => checkMethods(subject, changed({ slot: undefined }))).toThrow('Subject.slot has no mode');
});
