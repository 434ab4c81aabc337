// Events and DOMExceptions: what their getters say, and the little that only Node's symbols say. No event is being dispatched between
// jobs. The time of an event cannot be set again: a restored one has it as a hidden property of its own.

import {
  accepts,
  apply,
  construct,
  defineProperty,
  descriptorOf,
  getterOf,
  namesOf,
  receiverFirst,
  type SafeSet,
} from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import { withoutTrace } from './errors.ts';
import { isDirectlyBelow } from './event-target.ts';
import { askedSymbols, hasOnlySymbols, nodeSymbol, symbolSetOf } from './target-symbols.ts';
import type { State } from './listeners.ts';
import type { Kind } from '../kind.ts';

const PlainEvent = Event;
const Custom = CustomEvent;
const customPrototype: object = CustomEvent.prototype;

const get = <T>(key: keyof Event): ((object: object) => T) => getterOf<T>(Event.prototype, key);
const typeOf = get<string>('type');
const bubblesOf = get<boolean>('bubbles');
const cancelableOf = get<boolean>('cancelable');
const composedOf = get<boolean>('composed');
const preventedOf = get<boolean>('defaultPrevented');
const stoppedOf = get<boolean>('cancelBubble');
const trustedOf = get<boolean>('isTrusted');
const timeOf = get<number>('timeStamp');
const preventDefault = receiverFirst(Event.prototype.preventDefault) as unknown as (event: object) => void;
const stopPropagation = receiverFirst(Event.prototype.stopPropagation) as unknown as (event: object) => void;
const stopAtOnce = Event.prototype.stopImmediatePropagation as unknown as () => void;

const BUBBLES = 1;
const CANCELABLE = 2;
const COMPOSED = 4;
const PREVENTED = 8;
const STOPPED = 16;
const STOPPED_AT_ONCE = 32;
const TRUSTED = 64;
const CUSTOM = 128;

interface EventSymbols {
  readonly stop: symbol;
  readonly target: symbol;
  readonly detail: symbol;
  readonly trust: symbol;
  readonly all: SafeSet<symbol>;
}

let found: EventSymbols | undefined;

function eventSymbols(): EventSymbols {
  if (found !== undefined) return found;
  const asked = askedSymbols((options) => void new PlainEvent('x', options));
  const sample = new Custom('x', { detail: 1 });
  apply(stopAtOnce, sample, []);
  return (found = {
    stop: nodeSymbol(sample, 'kStop'),
    target: nodeSymbol(sample, 'kTarget'),
    detail: nodeSymbol(sample, 'detail'),
    trust: nodeSymbol(asked, 'kTrustEvent'),
    all: symbolSetOf(sample),
  });
}

function isEventSymbol(key: symbol): boolean {
  return eventSymbols().all.has(key);
}

/** Time as Node noted it, or as an earlier restore gave it. */
function momentOf(object: object): number {
  const given = descriptorOf(object, 'timeStamp');
  return given !== undefined && given.enumerable === false && typeof given.value === 'number'
    ? given.value
    : timeOf(object);
}

function isMoment(object: object, key: string): boolean {
  return key === 'timeStamp' && descriptorOf(object, key)?.enumerable === false;
}

export const event: Kind = {
  tag: FIRST_KIND + 27,
  name: 'Event',
  foreign: true,
  prototype: Event.prototype,
  hides: isEventSymbol,
  owns: isMoment,
  is: (object, ports) =>
    accepts(typeOf as (value: never) => unknown, object) &&
    accepts(bubblesOf as (value: never) => unknown, object) &&
    (isDirectlyBelow(object, customPrototype, ports) || isDirectlyBelow(object, Event.prototype, ports)),
  bare(object) {
    const names = namesOf(object);
    for (let i = 0; i < names.length; i++) if (!isMoment(object, names[i] as string)) return false;
    return hasOnlySymbols(object, isEventSymbol);
  },
  header(writer, object) {
    const { stop, detail } = eventSymbols();
    writer.string(typeOf(object));
    writer.byte(
      (bubblesOf(object) ? BUBBLES : 0) |
        (cancelableOf(object) ? CANCELABLE : 0) |
        (composedOf(object) ? COMPOSED : 0) |
        (preventedOf(object) ? PREVENTED : 0) |
        (stoppedOf(object) ? STOPPED : 0) |
        ((object as State)[stop] === true ? STOPPED_AT_ONCE : 0) |
        (trustedOf(object) ? TRUSTED : 0) |
        (descriptorOf(object, detail) === undefined ? 0 : CUSTOM),
    );
    writer.double(momentOf(object));
  },
  contents(writer, object) {
    const { target, detail } = eventSymbols();
    writer.value((object as State)[target]);
    if (descriptorOf(object, detail) !== undefined) writer.value((object as State)[detail]);
  },
  allocate(reader) {
    const { trust } = eventSymbols();
    const type = reader.text();
    const flags = reader.byte();
    const time = reader.double();
    const made = new ((flags & CUSTOM) === 0 ? PlainEvent : Custom)(type, {
      bubbles: (flags & BUBBLES) !== 0,
      cancelable: (flags & CANCELABLE) !== 0,
      composed: (flags & COMPOSED) !== 0,
      [trust]: (flags & TRUSTED) !== 0,
    } as ConstructorParameters<typeof Event>[1]);
    if ((flags & PREVENTED) !== 0) preventDefault(made);
    if ((flags & STOPPED_AT_ONCE) !== 0) (made as unknown as State)[eventSymbols().stop] = true;
    if ((flags & STOPPED) !== 0) stopPropagation(made);
    defineProperty(made, 'timeStamp', { value: time, writable: false, enumerable: false, configurable: true });
    return made;
  },
  fill(reader, object) {
    const { target, detail } = eventSymbols();
    const state = object as State;
    state[target] = reader.value();
    if (descriptorOf(object, detail) !== undefined) state[detail] = reader.value();
  },
  edges(object, edge) {
    const { target, detail } = eventSymbols();
    edge('.target', (object as State)[target]);
    edge('.detail', (object as State)[detail]);
  },
};

const exceptionName = getterOf<string>(DOMException.prototype, 'name');
const exceptionMessage = getterOf<string>(DOMException.prototype, 'message');
const Exception = DOMException;

export const domException: Kind = {
  tag: FIRST_KIND + 28,
  name: 'DOMException',
  prototype: DOMException.prototype,
  is: (object, ports) =>
    accepts(exceptionName as (value: never) => unknown, object) && isDirectlyBelow(object, Exception.prototype, ports),
  bare: () => false,
  born: ['stack'],
  header(writer, object) {
    writer.string(exceptionName(object));
    writer.string(exceptionMessage(object));
  },
  allocate(reader) {
    const name = reader.text();
    const message = reader.text();
    return withoutTrace(() => construct(Exception, [message, name]) as object);
  },
};

export const EVENT_KINDS: readonly Kind[] = [event, domException];
export const customEventPrototype = customPrototype;
