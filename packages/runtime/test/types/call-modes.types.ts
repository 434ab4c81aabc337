// Tables of call modes have an entry for each method that can be called, and nothing else.

import { interceptMethods, type CallModes, type PublicMethod } from '@turntable/core';
import { expectSame } from './expectation.ts';

declare class Subject {
  readonly name: string;
  count: number;
  slot: ((count: number) => void) | undefined;
  later?: () => void;
  send(text: string): string;
  generic<T>(value: T): T;
  get size(): number;
  static make(): Subject;
  protected perform(): void;
  private reset(): void;
}

expectSame<PublicMethod<Subject>, 'slot' | 'later' | 'send' | 'generic'>();

const WHOLE = {
  slot: { ifPresent: 'free' },
  later: { ifPresent: 'apart' },
  send: 'out',
  generic: 'query',
} as const satisfies CallModes<Subject>;

const WITH_HIDDEN = { ...WHOLE, perform: 'free', reset: 'free' } as const satisfies CallModes<
  Subject,
  'perform' | 'reset'
>;

const { send: _send, ...WITHOUT_SEND } = WHOLE;
// @ts-expect-error a method without an entry
WITHOUT_SEND satisfies CallModes<Subject>;
// @ts-expect-error a hidden method without an entry
WHOLE satisfies CallModes<Subject, 'perform'>;
// @ts-expect-error an entry without a method
({ ...WHOLE, sent: 'out' }) satisfies CallModes<Subject>;
// @ts-expect-error no such mode
({ ...WHOLE, send: 'in' }) satisfies CallModes<Subject>;
// @ts-expect-error a method that is always there is not optional
({ ...WHOLE, send: { ifPresent: 'out' } }) satisfies CallModes<Subject>;
// @ts-expect-error a property that may be undefined is optional
({ ...WHOLE, slot: 'free' }) satisfies CallModes<Subject>;

declare const subject: Subject;
declare const handler: () => unknown;

interceptMethods(subject, WHOLE, { out: handler, query: handler, apart: handler });
interceptMethods(subject, WITH_HIDDEN, { out: handler, query: handler, apart: handler });
// @ts-expect-error a method without an entry
interceptMethods(subject, WITHOUT_SEND, { query: handler, apart: handler });
// @ts-expect-error a mode without a handler
interceptMethods(subject, WHOLE, { out: handler, query: handler });
