// What a trace has of the membrane, in words for people: what the program asked for and was answered, what the outside did. A trace tells handles by
// numbers that both runs give in one order; whoever reads it from the beginning of a life knows of each what it is.
import { inspect } from 'node:util';
import type { TapeValue } from '@turntable/core';
import { EVENT, FLAG, FORM, OP, opName, opText } from './crossing.ts';

const PRINTED = { breakLength: Infinity, compact: true, depth: 2, maxArrayLength: 6, maxStringLength: 60 } as const;
const NESTED = 3;

export class DeviceWords {
  readonly #labels = new Map<number, string>();
  /** Of the next one; unknown where a trace is not read from the beginning of a life. */
  #count: number | undefined;

  /** @param isWhole whether all events of a life will be told */
  constructor(isWhole: boolean) {
    this.#count = isWhole ? 0 : undefined;
  }

  /** Of the source `device`: what somebody asked, or what the outside did meanwhile. */
  outcome(value: TapeValue): string {
    const [silent, what, ...rest] = value as [number, number, ...TapeValue[]];
    if (what === EVENT.shown) return shownText(rest);
    if (what === EVENT.aborted) return this.#aborted(rest[0]);
    if ((what & FLAG.call) !== 0) return this.#act(what, rest.slice(1), rest[0] as number);
    const [answer, key] = rest;
    const asked = opText(what, undefined, key === undefined ? undefined : this.#key(key));
    const known = silent > 0 ? `, after ${silent} that were known` : '';
    return `${asked} ${(what & FLAG.threw) === 0 ? '→' : 'throws'} ${this.#value(answer)}${known}`;
  }

  /** Of the source `device`: the outside calls. `id`: of what it has of the program. */
  entry(id: number, value: TapeValue): string {
    const [what, context, ...values] = value as [number, TapeValue, ...TapeValue[]];
    if (what === EVENT.released) return this.#released([context, ...values].map(numbersOf));
    if (what === EVENT.shown) return shownText([context, ...values]);
    if (what === EVENT.aborted) return this.#aborted(context);
    if (what === EVENT.uncaught) return 'nobody catches what was thrown';
    if (what === EVENT.failed) return `nobody catches what no code of the program has thrown: ${this.#value(context)}`;
    if (what === EVENT.rejected) return `nobody handles a rejection: ${this.#value(context)}`;
    return this.#act(what & ~(FLAG.chained | FLAG.microtask), values, id);
  }

  #released([exports = [], handles = [], , over = []]: readonly (readonly number[])[]): string {
    const labels = (numbers: readonly number[]): string[] => numbers.map((each) => this.#label(each));
    const gone = [...exports.map(String), ...labels(handles)];
    const said = [
      ...(gone.length > 0 || over.length === 0 ? [`has let go of ${gone.join(', ')}`] : []),
      ...(over.length > 0 ? [`is done with ${labels(over).join(', ')}`] : []),
    ];
    return said.join(' and ');
  }

  /** Of the source `settled`. */
  settled(value: TapeValue): string {
    const [isFulfilled, coded] = value as [boolean, TapeValue];
    return `${isFulfilled ? 'fulfilled' : 'rejected'}: ${this.#value(coded)}`;
  }

  #aborted(response: TapeValue): string {
    return `has lost whom ${this.#value(response)} was for`;
  }

  #act(code: number, given: readonly TapeValue[], id: number): string {
    const isNeutral = (code & FLAG.neutral) !== 0;
    const what = code & ~(FLAG.call | FLAG.neutral | FLAG.threw);
    const values = isNeutral ? given.slice(1) : given;
    const whom = isNeutral ? String(given[0]) : `what it has as ${id}`;
    if (what === OP.apply) {
      const [self, ...args] = values.map((each) => this.#value(each));
      return `calls ${whom}(${args.join(', ')})${self === undefined || self === 'undefined' ? '' : ` of ${self}`}`;
    }
    if (what === OP.construct) return `makes a ${whom}(${values.map((each) => this.#value(each)).join(', ')})`;
    if (what === OP.fill) return `writes ${this.#value(values[1])} into ${whom}`;
    return `${opName(what)} of ${whom}: ${values.map((each) => this.#value(each)).join(', ')}`;
  }

  #key(key: TapeValue): string {
    return typeof key === 'string' ? key : this.#value(key);
  }

  #label(number: number): string {
    return this.#labels.get(number) ?? `#${number}`;
  }

  #named(name: string): string {
    const label = name === '' ? 'object' : name;
    if (this.#count === undefined) return label;
    const named = `${label}#${this.#count}`;
    this.#labels.set(this.#count++, named);
    return named;
  }

  #value(coded: TapeValue, depth = 0): string {
    if (coded instanceof Uint8Array) return bytesText(coded);
    if (!Array.isArray(coded)) return inspect(coded, PRINTED);
    const [form, first, second, third] = coded as readonly TapeValue[];
    const inner = (each: TapeValue): string => this.#value(each, depth + 1);
    switch (form) {
      case FORM.handle:
        // Behind a cut it is said again what it is.
        if (typeof third === 'string' && !this.#labels.has(first as number))
          this.#labels.set(first as number, `${third === '' ? 'object' : third}#${String(first)}`);
        return this.#label(first as number);
      case FORM.newHandle: {
        const named = this.#named(second as string);
        if (third !== null) inner(third);
        return named;
      }
      case FORM.static:
        return this.#named(String(first).replace(/^!/, ''));
      case FORM.handMade: {
        const facts = coded.slice(2).map(inner);
        return `${this.#named(`hand-made ${String(first)}`)}${facts.length === 0 ? '' : `(${facts.join(', ')})`}`;
      }
      case FORM.neutral:
        return String(first);
      case FORM.exported:
        return `the program's ${String(first)}`;
      case FORM.plain:
        return this.#plain((coded as readonly TapeValue[]).slice(2), depth);
      case FORM.array:
        return listText((coded as readonly TapeValue[]).slice(1).map(inner), '[', ']', depth);
      case FORM.rows:
        return `${String(second)} records`;
      case FORM.bytes:
        return bytesText(second as Uint8Array);
      case FORM.error:
        return `${String(first)}: ${String(second)}`;
      case FORM.promise:
        return 'a promise';
      case FORM.reason:
        return `why the program's ${String(first)} was aborted`;
      case FORM.date:
        return new Date(first as number).toISOString();
      case FORM.symbol:
      case FORM.ownSymbol:
        return `Symbol(${String(form === FORM.symbol ? first : second)})`;
      case FORM.hole:
        return '';
      default:
        return inspect(coded, PRINTED);
    }
  }

  #plain(entries: readonly TapeValue[], depth: number): string {
    const members: string[] = [];
    for (let i = 0; i < entries.length; i += 2)
      members.push(`${this.#key(entries[i])}: ${this.#value(entries[i + 1], depth + 1)}`);
    return listText(members, '{ ', ' }', depth);
  }
}

/** All of it has been counted; not all of it is shown. */
function listText(members: readonly string[], begin: string, end: string, depth: number): string {
  if (members.length === 0) return begin.trim() + end.trim();
  if (depth >= NESTED) return `${begin}…${end}`;
  const shown = members.slice(0, PRINTED.maxArrayLength);
  return `${begin}${shown.join(', ')}${members.length > shown.length ? ', …' : ''}${end}`;
}

function shownText([descriptor, bytes]: readonly TapeValue[]): string {
  return `writes ${bytesText(bytes as Uint8Array)} to standard ${descriptor === 2 ? 'error' : 'output'}`;
}

function bytesText(bytes: Uint8Array): string {
  return `${bytes.length} byte${bytes.length === 1 ? '' : 's'}`;
}

function numbersOf(value: TapeValue): readonly number[] {
  return value instanceof Uint8Array || Array.isArray(value)
    ? [...(value as ArrayLike<number> & Iterable<number>)]
    : [];
}
