// Events and DOMExceptions, from getters and a few of Node's symbols. No event is being dispatched between jobs, so the
// state of a dispatch is not written. The time of an event cannot be set, so a restored event has it as a hidden own
// property.

import {
  passesBrandCheck,
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
import { withoutStackTrace } from './errors.ts';
import { isDirectInstance } from './event-target.ts';
import { requestedSymbols, hasOnlySymbols, nodeSymbol, symbolSetOf } from './target-symbols.ts';
import type { SymbolProperties } from './listeners.ts';
import type { ObjectKind } from '../object-kind.ts';

const NativeEvent = Event;
const NativeCustomEvent = CustomEvent;
const customPrototype: object = CustomEvent.prototype;

const eventGetter = <T>(key: keyof Event): ((object: object) => T) => getterOf<T>(Event.prototype, key);
const typeOf = eventGetter<string>('type');
const bubblesOf = eventGetter<boolean>('bubbles');
const cancelableOf = eventGetter<boolean>('cancelable');
const composedOf = eventGetter<boolean>('composed');
const preventedOf = eventGetter<boolean>('defaultPrevented');
const stoppedOf = eventGetter<boolean>('cancelBubble');
const trustedOf = eventGetter<boolean>('isTrusted');
const timeOf = eventGetter<number>('timeStamp');
const preventDefault = receiverFirst(Event.prototype.preventDefault) as unknown as (event: object) => void;
const stopPropagation = receiverFirst(Event.prototype.stopPropagation) as unknown as (event: object) => void;
const stopImmediatePropagation = Event.prototype.stopImmediatePropagation as unknown as () => void;

const BUBBLES = 1;
const CANCELABLE = 2;
const COMPOSED = 4;
const PREVENTED = 8;
const STOPPED = 16;
const STOPPED_IMMEDIATELY = 32;
const TRUSTED = 64;
const CUSTOM_EVENT = 128;

interface EventSymbols {
  readonly stop: symbol;
  readonly target: symbol;
  readonly detail: symbol;
  readonly trust: symbol;
  readonly allSymbols: SafeSet<symbol>;
}

let cachedSymbols: EventSymbols | undefined;

function eventSymbols(): EventSymbols {
  if (cachedSymbols !== undefined) return cachedSymbols;
  const optionSymbols = requestedSymbols((options) => void new NativeEvent('x', options));
  const sample = new NativeCustomEvent('x', { detail: 1 });
  apply(stopImmediatePropagation, sample, []);
  return (cachedSymbols = {
    stop: nodeSymbol(sample, 'kStop'),
    target: nodeSymbol(sample, 'kTarget'),
    detail: nodeSymbol(sample, 'detail'),
    trust: nodeSymbol(optionSymbols, 'kTrustEvent'),
    allSymbols: symbolSetOf(sample),
  });
}

function isEventSymbol(key: symbol): boolean {
  return eventSymbols().allSymbols.has(key);
}

/** Returns the time of an event: Node's, or the own property of a restored event. */
function timestampOf(object: object): number {
  const ownTimestamp = descriptorOf(object, 'timeStamp');
  return ownTimestamp !== undefined && ownTimestamp.enumerable === false && typeof ownTimestamp.value === 'number'
    ? ownTimestamp.value
    : timeOf(object);
}

function isTimestampKey(object: object, key: string): boolean {
  return key === 'timeStamp' && descriptorOf(object, key)?.enumerable === false;
}

export const eventKind: ObjectKind = {
  tag: FIRST_KIND + 27,
  name: 'Event',
  canBelongToHost: true,
  prototype: Event.prototype,
  isHostKey: isEventSymbol,
  isAccountedFor: isTimestampKey,
  matches: (object, ports) =>
    passesBrandCheck(typeOf as (value: never) => unknown, object) &&
    passesBrandCheck(bubblesOf as (value: never) => unknown, object) &&
    (isDirectInstance(object, customPrototype, ports) || isDirectInstance(object, Event.prototype, ports)),
  isBare(object) {
    const names = namesOf(object);
    for (let i = 0; i < names.length; i++) if (!isTimestampKey(object, names[i] as string)) return false;
    return hasOnlySymbols(object, isEventSymbol);
  },
  writeHeader(writer, object) {
    const { stop, detail } = eventSymbols();
    writer.string(typeOf(object));
    writer.byte(
      (bubblesOf(object) ? BUBBLES : 0) |
        (cancelableOf(object) ? CANCELABLE : 0) |
        (composedOf(object) ? COMPOSED : 0) |
        (preventedOf(object) ? PREVENTED : 0) |
        (stoppedOf(object) ? STOPPED : 0) |
        ((object as SymbolProperties)[stop] === true ? STOPPED_IMMEDIATELY : 0) |
        (trustedOf(object) ? TRUSTED : 0) |
        (descriptorOf(object, detail) === undefined ? 0 : CUSTOM_EVENT),
    );
    writer.double(timestampOf(object));
  },
  writeContents(writer, object) {
    const { target, detail } = eventSymbols();
    writer.value((object as SymbolProperties)[target]);
    if (descriptorOf(object, detail) !== undefined) writer.value((object as SymbolProperties)[detail]);
  },
  allocate(reader) {
    const { trust } = eventSymbols();
    const type = reader.stringValue();
    const flags = reader.byte();
    const time = reader.double();
    const created = new ((flags & CUSTOM_EVENT) === 0 ? NativeEvent : NativeCustomEvent)(type, {
      bubbles: (flags & BUBBLES) !== 0,
      cancelable: (flags & CANCELABLE) !== 0,
      composed: (flags & COMPOSED) !== 0,
      [trust]: (flags & TRUSTED) !== 0,
    } as ConstructorParameters<typeof Event>[1]);
    if ((flags & PREVENTED) !== 0) preventDefault(created);
    if ((flags & STOPPED_IMMEDIATELY) !== 0) (created as unknown as SymbolProperties)[eventSymbols().stop] = true;
    if ((flags & STOPPED) !== 0) stopPropagation(created);
    defineProperty(created, 'timeStamp', { value: time, writable: false, enumerable: false, configurable: true });
    return created;
  },
  fill(reader, object) {
    const { target, detail } = eventSymbols();
    const state = object as SymbolProperties;
    state[target] = reader.value();
    if (descriptorOf(object, detail) !== undefined) state[detail] = reader.value();
  },
  edges(object, edge) {
    const { target, detail } = eventSymbols();
    edge('.target', (object as SymbolProperties)[target]);
    edge('.detail', (object as SymbolProperties)[detail]);
  },
};

const exceptionName = getterOf<string>(DOMException.prototype, 'name');
const exceptionMessage = getterOf<string>(DOMException.prototype, 'message');
const NativeDOMException = DOMException;

export const domExceptionKind: ObjectKind = {
  tag: FIRST_KIND + 28,
  name: 'DOMException',
  prototype: DOMException.prototype,
  matches: (object, ports) =>
    passesBrandCheck(exceptionName as (value: never) => unknown, object) &&
    isDirectInstance(object, NativeDOMException.prototype, ports),
  isBare: () => false,
  initialKeys: ['stack'],
  writeHeader(writer, object) {
    writer.string(exceptionName(object));
    writer.string(exceptionMessage(object));
  },
  allocate(reader) {
    const name = reader.stringValue();
    const message = reader.stringValue();
    return withoutStackTrace(() => construct(NativeDOMException, [message, name]) as object);
  },
};

export const EVENT_KINDS: readonly ObjectKind[] = [eventKind, domExceptionKind];
export const customEventPrototype = customPrototype;
