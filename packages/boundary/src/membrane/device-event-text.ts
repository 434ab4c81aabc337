// Texts of the membrane's events in a trace: the program's host calls with their results, and the host's callbacks. The
// trace identifies handles by number; a reader that starts with the first event of a process knows the class of each.
import { inspect } from 'node:util';
import type { TapeValue } from '@turntable/core';
import { MEMBRANE_EVENT, OP_FLAG, VALUE_FORM, OP, opName, opText } from './encoding.ts';

const INSPECT_OPTIONS = {
  breakLength: Infinity,
  compact: true,
  depth: 2,
  maxArrayLength: 6,
  maxStringLength: 60,
} as const;
const MAX_NESTING = 3;

export class DeviceEventText {
  readonly #labels = new Map<number, string>();
  /** Number of the next handle; undefined if the trace is not read from its start. */
  #nextNumber: number | undefined;

  /** @param isWhole whether the reader passes all events from the start of the process */
  constructor(isWhole: boolean) {
    this.#nextNumber = isWhole ? 0 : undefined;
  }

  /** Text of an outcome of source `device`: a host call, or an event of the host during one. */
  outcome(value: TapeValue): string {
    const [predicted, code, ...fields] = value as [number, number, ...TapeValue[]];
    if (code === MEMBRANE_EVENT.shown) return outputText(fields);
    if (code === MEMBRANE_EVENT.aborted) return this.#abortedText(fields[0]);
    if ((code & OP_FLAG.callback) !== 0) return this.#callbackText(code, fields.slice(1), fields[0] as number);
    const [answer, key] = fields;
    const operation = opText(code, undefined, key === undefined ? undefined : this.#keyText(key));
    const predictedText = predicted > 0 ? `, after ${predicted} predicted` : '';
    return `${operation} ${(code & OP_FLAG.threw) === 0 ? '→' : 'throws'} ${this.#valueText(answer)}${predictedText}`;
  }

  /** Text of an entry of source `device`. `id`: the export number of the callback's object. */
  entry(id: number, value: TapeValue): string {
    const [code, context, ...values] = value as [number, TapeValue, ...TapeValue[]];
    if (code === MEMBRANE_EVENT.released) return this.#releasedText([context, ...values].map(numbersOf));
    if (code === MEMBRANE_EVENT.shown) return outputText([context, ...values]);
    if (code === MEMBRANE_EVENT.aborted) return this.#abortedText(context);
    if (code === MEMBRANE_EVENT.uncaught) return 'uncaught exception of the program';
    if (code === MEMBRANE_EVENT.failed) return `uncaught exception of the host: ${this.#valueText(context)}`;
    if (code === MEMBRANE_EVENT.rejected) return `unhandled rejection: ${this.#valueText(context)}`;
    return this.#callbackText(code & ~(OP_FLAG.chained | OP_FLAG.microtask), values, id);
  }

  #releasedText([exports = [], handles = [], , done = []]: readonly (readonly number[])[]): string {
    const labelsOf = (numbers: readonly number[]): string[] => numbers.map((number) => this.#labelOf(number));
    const collected = [...exports.map(String), ...labelsOf(handles)];
    const parts = [
      ...(collected.length > 0 || done.length === 0 ? [`releases ${collected.join(', ')}`] : []),
      ...(done.length > 0 ? [`completes ${labelsOf(done).join(', ')}`] : []),
    ];
    return parts.join(' and ');
  }

  /** Text of an entry of source `settled`. */
  settled(value: TapeValue): string {
    const [isFulfilled, encoded] = value as [boolean, TapeValue];
    return `${isFulfilled ? 'fulfilled' : 'rejected'}: ${this.#valueText(encoded)}`;
  }

  #abortedText(response: TapeValue): string {
    return `aborts ${this.#valueText(response)}: its client is gone`;
  }

  #callbackText(code: number, encoded: readonly TapeValue[], id: number): string {
    const isNeutral = (code & OP_FLAG.neutral) !== 0;
    const op = code & ~(OP_FLAG.callback | OP_FLAG.neutral | OP_FLAG.lookup | OP_FLAG.threw);
    const values = isNeutral ? encoded.slice(1) : encoded;
    const target = isNeutral ? String(encoded[0]) : `object ${id}`;
    if (op === OP.apply) {
      const [self, ...args] = values.map((value) => this.#valueText(value));
      return `calls ${target}(${args.join(', ')})${self === undefined || self === 'undefined' ? '' : ` of ${self}`}`;
    }
    if (op === OP.construct) return `makes a ${target}(${values.map((value) => this.#valueText(value)).join(', ')})`;
    if (op === OP.fill) return `writes ${this.#valueText(values[1])} into ${target}`;
    return `${opName(op)} of ${target}: ${values.map((value) => this.#valueText(value)).join(', ')}`;
  }

  #keyText(key: TapeValue): string {
    return typeof key === 'string' ? key : this.#valueText(key);
  }

  #labelOf(number: number): string {
    return this.#labels.get(number) ?? `#${number}`;
  }

  #nameNext(name: string): string {
    const baseLabel = name === '' ? 'object' : name;
    if (this.#nextNumber === undefined) return baseLabel;
    const label = `${baseLabel}#${this.#nextNumber}`;
    this.#labels.set(this.#nextNumber++, label);
    return label;
  }

  #valueText(encoded: TapeValue, depth = 0): string {
    if (encoded instanceof Uint8Array) return bytesText(encoded);
    if (!Array.isArray(encoded)) return inspect(encoded, INSPECT_OPTIONS);
    const [form, operand1, operand2, operand3] = encoded as readonly TapeValue[];
    const memberText = (member: TapeValue): string => this.#valueText(member, depth + 1);
    switch (form) {
      case VALUE_FORM.handle:
        // After a cut the trace describes a handle again.
        if (typeof operand3 === 'string' && !this.#labels.has(operand1 as number))
          this.#labels.set(operand1 as number, `${operand3 === '' ? 'object' : operand3}#${String(operand1)}`);
        return this.#labelOf(operand1 as number);
      case VALUE_FORM.newHandle: {
        const label = this.#nameNext(operand2 as string);
        if (operand3 !== null) memberText(operand3);
        return label;
      }
      case VALUE_FORM.static:
        return this.#nameNext(String(operand1).replace(/^!/, ''));
      case VALUE_FORM.surrogate: {
        const initialTexts = encoded.slice(2).map(memberText);
        return `${this.#nameNext(`hand-made ${String(operand1)}`)}${initialTexts.length === 0 ? '' : `(${initialTexts.join(', ')})`}`;
      }
      case VALUE_FORM.neutral:
        return String(operand1);
      case VALUE_FORM.exported:
        return `the program's ${String(operand1)}`;
      case VALUE_FORM.plain:
        return this.#recordText((encoded as readonly TapeValue[]).slice(2), depth);
      case VALUE_FORM.array:
        return listText((encoded as readonly TapeValue[]).slice(1).map(memberText), '[', ']', depth);
      case VALUE_FORM.rows:
        return `${String(operand2)} records`;
      case VALUE_FORM.bytes:
        return bytesText(operand2 as Uint8Array);
      case VALUE_FORM.error:
        return `${String(operand1)}: ${String(operand2)}`;
      case VALUE_FORM.promise:
        return 'a promise';
      case VALUE_FORM.abortReason:
        return `why the program's ${String(operand1)} was aborted`;
      case VALUE_FORM.date:
        return new Date(operand1 as number).toISOString();
      case VALUE_FORM.symbol:
      case VALUE_FORM.ownSymbol:
        return `Symbol(${String(form === VALUE_FORM.symbol ? operand1 : operand2)})`;
      case VALUE_FORM.hole:
        return '';
      default:
        return inspect(encoded, INSPECT_OPTIONS);
    }
  }

  #recordText(keysAndValues: readonly TapeValue[], depth: number): string {
    const members: string[] = [];
    for (let i = 0; i < keysAndValues.length; i += 2)
      members.push(`${this.#keyText(keysAndValues[i])}: ${this.#valueText(keysAndValues[i + 1], depth + 1)}`);
    return listText(members, '{ ', ' }', depth);
  }
}

/** Joins the texts of the first few members. The caller makes the texts of all, because that numbers their handles. */
function listText(members: readonly string[], open: string, close: string, depth: number): string {
  if (members.length === 0) return open.trim() + close.trim();
  if (depth >= MAX_NESTING) return `${open}…${close}`;
  const shown = members.slice(0, INSPECT_OPTIONS.maxArrayLength);
  return `${open}${shown.join(', ')}${members.length > shown.length ? ', …' : ''}${close}`;
}

function outputText([descriptor, bytes]: readonly TapeValue[]): string {
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
