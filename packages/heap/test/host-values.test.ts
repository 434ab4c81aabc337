// Host values without connection to the outside world work after a restore: listeners run in the same order, a signal
// aborts once, and the restored state has the same bytes.
import { describe, expect, test, vi } from 'vitest';
import { watchAbortListeners } from '@turntable/core';
import { HeapError } from '@turntable/heap';
import { testCode } from './code.ts';
import { testWorld } from './ports.ts';

watchAbortListeners(AbortSignal.prototype);

const code = testCode();
const world = testWorld(() => ({
  adapters: code.adapters,
  privateMembersOf: (prototype) =>
    prototype === Bus.prototype ? [{ owner: Bus, read: (bus) => Bus.read(bus as Bus), names: ['#log'] }] : undefined,
  stampInstance: (owners, object) => (owners.includes(Bus) ? Bus.stamp(object as object) : object),
  setPrivateFields: (object, _owner, values) => Bus.write(object as Bus, values),
}));

function returnSame(object: object): object {
  return object;
}
/** A class of the program. */
class Bus extends EventTarget {
  #log: unknown[] = [];
  static read(bus: Bus): unknown[] | undefined {
    return #log in bus ? [bus.#log] : undefined;
  }
  static write(bus: Bus, [log]: readonly unknown[]): void {
    bus.#log = log as unknown[];
  }
  static stamp(object: object): object {
    return Reflect.construct(Stamp, [object], Bus);
  }
  get log(): unknown[] {
    return this.#log;
  }
}
const Stamp = (() => {
  const prototype = Object.getPrototypeOf(Bus) as object;
  return function (this: unknown, object: object): object {
    Object.setPrototypeOf(Bus, returnSame);
    try {
      return Reflect.construct(Bus, [object]);
    } finally {
      Object.setPrototypeOf(Bus, prototype);
    }
  };
})();
code.class(Bus);

/** Returns a copy of a copy, after checking that each has the same state as its original. */
function copyTwice<T>(root: T): T {
  const hash = world.heap.hash(root);
  expect(world.heap.hash(root), 'capture changes nothing').toBe(hash);
  const copy = world.heap.read(world.heap.write(root)) as T;
  expect(world.heap.hash(copy)).toBe(hash);
  const again = world.heap.read(world.heap.write(copy)) as T;
  expect(world.heap.hash(again)).toBe(hash);
  return again;
}

function refusalMessage(root: unknown): string {
  try {
    world.heap.write(root);
  } catch (error) {
    if (error instanceof HeapError) return error.message;
    throw error;
  }
  throw new Error('was written');
}

/** Adds its name and the event to a captured list. */
const notingListener = code.closure((captured, event) => {
  (captured[0] as string[]).push(`${captured[1] as string} ${(event as Event).type}`);
});

describe('an EventTarget', () => {
  test('runs the same listeners in the same order, with their options', () => {
    const log: string[] = [];
    const target = new EventTarget();
    const twice = notingListener(log, 'twice');
    target.addEventListener('a', notingListener(log, 'first'), { once: true });
    target.addEventListener('a', twice);
    target.addEventListener('a', twice, { capture: true });
    target.addEventListener('a', { handleEvent: notingListener(log, 'object') });
    target.addEventListener('b', notingListener(log, 'passive'), { passive: true });
    const copy = copyTwice({ target, log, twice });
    for (const { target: each, twice: listener } of [copy, { target, twice }]) {
      each.dispatchEvent(new Event('a'));
      each.dispatchEvent(new Event('a'));
      each.dispatchEvent(new Event('b'));
      each.removeEventListener('a', listener);
      each.dispatchEvent(new Event('a'));
    }
    expect(copy.log).toEqual(log);
    expect(log).toEqual(['first a', 'twice a', 'twice a', 'object a', 'twice a', 'twice a', 'object a', 'passive b', 'twice a', 'object a']); // prettier-ignore
    expect(world.heap.hash(copy.target)).toBe(world.heap.hash(target));
  });

  test('of a program class keeps private members, own properties and symbols', () => {
    const mine = Symbol('mine');
    const bus = Object.assign(new Bus(), { label: 'x', [mine]: 1 });
    bus.log.push('entry');
    bus.addEventListener('a', notingListener(bus.log, 'heard'));
    const copy = copyTwice({ bus, mine });
    expect(copy.bus).toBeInstanceOf(Bus);
    expect([copy.bus.label, (copy.bus as unknown as Record<symbol, unknown>)[copy.mine], copy.bus.log]).toEqual(['x', 1, ['entry']]); // prettier-ignore
    copy.bus.dispatchEvent(new Event('a'));
    expect(copy.bus.log).toEqual(['entry', 'heard a']);
  });

  test('removes a listener when the signal it was added with is aborted', () => {
    const log: string[] = [];
    const target = new EventTarget();
    const controller = new AbortController();
    const { signal } = controller;
    target.addEventListener('a', notingListener(log, 'bound'), { signal });
    target.addEventListener('a', notingListener(log, 'bound too'), { signal, capture: true });
    target.addEventListener('a', notingListener(log, 'free'));
    for (const order of [
      { target, controller, log },
      { controller, log, target },
      { log, signal, controller, target },
    ]) {
      const copy = copyTwice(order);
      copy.target.dispatchEvent(new Event('a'));
      copy.controller.abort();
      copy.target.dispatchEvent(new Event('a'));
      expect(copy.log).toEqual(['bound a', 'bound too a', 'free a', 'free a']);
    }
    expect(log).toEqual([]);
  });

  test('that overrides the removal of listeners added with a signal is refused, and its code does not run', () => {
    const target = new EventTarget();
    const removeEventListener = vi.fn();
    Object.assign(target, { removeEventListener });
    const { signal } = new AbortController();
    target.addEventListener('a', () => undefined, { signal });
    expect(refusalMessage({ signal })).toMatch(/^roots\.signal: .* removes listeners in its own way/);
    expect(removeEventListener).not.toHaveBeenCalled();
  });

  test('with a listener that is not transformed is refused with its path', () => {
    const target = new EventTarget();
    target.addEventListener('a', () => undefined);
    expect(refusalMessage({ target })).toMatch(/^roots\.target listener 0 of "a": the function/);
  });

  test.each([
    ['a MessagePort', () => new MessageChannel().port1, /MessagePort belongs to the host/],
    ['a BroadcastChannel', () => new BroadcastChannel('x'), /BroadcastChannel belongs to the host/],
  ])('that is %s is refused', (_, make, reason) => {
    const target = make();
    expect(refusalMessage({ target })).toMatch(reason);
    target.close();
  });
});

describe('an AbortController and its signal', () => {
  test('belong together, whichever is reached first', () => {
    for (const make of [
      (controller: AbortController) => ({ controller, signal: controller.signal }),
      (controller: AbortController) => ({ signal: controller.signal, controller }),
    ]) {
      const copy = copyTwice(make(new AbortController()));
      expect(copy.controller.signal).toBe(copy.signal);
      expect(copy.signal).toBeInstanceOf(AbortSignal);
      copy.controller.abort('why');
      expect([copy.signal.aborted, copy.signal.reason]).toEqual([true, 'why']);
    }
    expect(copyTwice(new AbortController())).toBeInstanceOf(AbortController);
  });

  test('abort once, with listeners and onabort in order', () => {
    const log: string[] = [];
    const controller = new AbortController();
    const { signal } = controller;
    signal.addEventListener('abort', notingListener(log, 'before'), { once: true });
    Object.assign(signal, { onabort: notingListener(log, 'handler') });
    signal.addEventListener('abort', notingListener(log, 'after'));
    const copy = copyTwice({ controller, log });
    copy.controller.abort();
    copy.controller.abort();
    expect(copy.log).toEqual(['before abort', 'handler abort', 'after abort']);
    expect(copy.controller.signal.reason).toBeInstanceOf(DOMException);
    expect(copy.controller.signal.onabort).toBeTypeOf('function');
    Object.assign(copy.controller.signal, { onabort: null });
    expect(copyTwice(copy).controller.signal.onabort).toBeNull();
  });

  test('stay aborted with the same reason', () => {
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    const controller = new AbortController();
    controller.abort();
    const copy = copyTwice({ signal, reason, controller });
    expect(copy.signal.reason).toBe(copy.reason);
    expect(() => copy.signal.throwIfAborted()).toThrow('enough');
    expect(copy.controller.signal.reason).toMatchObject({ name: 'AbortError', code: 20 });
    expect((copy.controller.signal.reason as DOMException).stack).toBe(
      (controller.signal.reason as DOMException).stack,
    );
  });

  test('abort the signals made by AbortSignal.any, with listeners in order', () => {
    const log: string[] = [];
    const [a, b] = [new AbortController(), new AbortController()];
    const later = AbortSignal.any([a.signal]);
    const first = AbortSignal.any([a.signal, b.signal]);
    const deep = AbortSignal.any([first]);
    deep.addEventListener('abort', notingListener(log, 'deep'));
    first.addEventListener('abort', notingListener(log, 'first'));
    a.signal.addEventListener('abort', notingListener(log, 'source'));
    const use = (it: { a: AbortController; b: AbortController; later: AbortSignal; log: string[] }): string[] => {
      it.later.addEventListener('abort', notingListener(it.log, 'later'));
      it.log.push('quiet');
      it.b.abort('b');
      it.a.abort('a');
      return it.log;
    };
    const copies = [
      { a, b, first, deep, later, log },
      { deep, later, log, first, b, a },
      { log, later, first, a, b, deep },
    ].map(copyTwice);
    const native = use({ a, b, later, log });
    expect(native).toEqual(
      expect.arrayContaining(['quiet', 'deep abort', 'first abort', 'source abort', 'later abort']),
    );
    for (const copy of copies) {
      expect(use(copy)).toEqual(native);
      expect([copy.first.reason, copy.deep.reason, copy.later.reason]).toEqual(['b', 'b', 'a']);
    }
  });

  test('abort dependants even if only AbortSignal.any refers to them', () => {
    const controller = new AbortController();
    const either = AbortSignal.any([controller.signal, new AbortController().signal]);
    const copy = copyTwice({ either, controller });
    expect(copy.either.aborted).toBe(false);
    copy.controller.abort();
    expect(copy.either.aborted).toBe(true);
    expect(copyTwice(AbortSignal.any([])).aborted).toBe(false);
  });

  test("of a timer of Node's own are refused with the remedy", () => {
    expect(refusalMessage([AbortSignal.timeout(1e6)])).toMatch(
      /^roots\[0\]: an internal timer of Node aborts it; .*AbortSignal\.timeout/,
    );
  });

  test('with a listener of a device are refused with its path', () => {
    const controller = new AbortController();
    controller.signal.addEventListener('abort', () => undefined);
    expect(refusalMessage([controller])).toMatch(/^roots\[0\]\.signal listener 0 of "abort": the function/);
  });
});

describe('an Event', () => {
  test('keeps its properties and state', () => {
    const target = new EventTarget();
    const event = new Event('a', { cancelable: true, bubbles: true, composed: true });
    target.dispatchEvent(event);
    event.preventDefault();
    const stopped = new Event('b');
    stopped.stopPropagation();
    const halted = Object.assign(new Event('c'), { own: 1 });
    halted.stopImmediatePropagation();
    const custom = new CustomEvent('d', { detail: { target } });
    const copy = copyTwice({ event, stopped, halted, custom, target });
    expect(copy.event.target).toBe(copy.target);
    expect(copy.custom.detail.target).toBe(copy.target);
    expect(copy.custom).toBeInstanceOf(CustomEvent);
    expect(copy.event).toMatchObject({
      type: 'a',
      cancelable: true,
      bubbles: true,
      composed: true,
      defaultPrevented: true,
      isTrusted: false,
      timeStamp: event.timeStamp,
    });
    expect([copy.stopped.cancelBubble, copy.event.cancelBubble]).toEqual([true, false]);
    expect(Object.keys(copy.halted)).toEqual(Object.keys(halted));
    const received: string[] = [];
    copy.target.addEventListener('c', () => received.push('c'));
    copy.target.addEventListener('a', () => received.push('a'));
    copy.target.dispatchEvent(copy.halted);
    copy.target.dispatchEvent(copy.event);
    expect(received).toEqual(['a']);
  });

  test('sent by a signal is trusted', () => {
    const events: Event[] = [];
    const controller = new AbortController();
    controller.signal.addEventListener('abort', (event) => events.push(event), { once: true });
    controller.abort();
    const copy = copyTwice({ event: events[0]!, controller });
    expect(copy.event.isTrusted).toBe(true);
    expect(copy.event.target).toBe(copy.controller.signal);
  });
});

describe('a DOMException', () => {
  test('keeps name, message, code, cause, stack and own properties', () => {
    const exception = Object.assign(new DOMException('gone', { name: 'NotFoundError', cause: [1] }), { note: 'n' });
    const copy = copyTwice(exception);
    expect(copy).toBeInstanceOf(DOMException);
    expect([copy.name, copy.message, copy.code, copy.cause, copy.stack, copy.note]).toEqual([
      'NotFoundError', 'gone', 8, [1], exception.stack, 'n',
    ]); // prettier-ignore
    expect(() => copyTwice(new DOMException('x')).toString()).not.toThrow();
  });
});

describe('a TextDecoder', () => {
  test('for UTF-8 continues in the middle of a character', () => {
    const bytes = new TextEncoder().encode('\ufeffaé€😀');
    for (let cut = 0; cut <= bytes.length; cut++) {
      const decoder = new TextDecoder();
      const start = decoder.decode(bytes.subarray(0, cut), { stream: true });
      expect(start + copyTwice(decoder).decode(bytes.subarray(cut)), `cut at ${cut}`).toBe('aé€😀');
    }
  });

  test('keeps own properties and symbols, like an encoder', () => {
    const mine = Symbol('mine');
    const copy = copyTwice({ mine, coders: [new TextDecoder(), new TextEncoder()].map((each) => Object.assign(each, { [mine]: 1, x: 2 })) }); // prettier-ignore
    for (const each of copy.coders) expect(each).toMatchObject({ [copy.mine]: 1, x: 2 });
  });
});

test('a URL keeps own properties under symbols', () => {
  const mine = Symbol('mine');
  const copy = copyTwice({ mine, url: Object.assign(new URL('http://x/'), { [mine]: 1 }) });
  expect((copy.url as unknown as Record<symbol, unknown>)[copy.mine]).toBe(1);
});

describe('an Intl object', () => {
  const formats =
    (...values: never[]) =>
    (each: { format(...values: never[]): string }) =>
      each.format(...values);
  test.each<[string, object, (each: never) => unknown]>([
    ['Collator', new Intl.Collator('sv', { numeric: true, caseFirst: 'upper' }), (each: Intl.Collator) => [each.compare('a2', 'a10'), each.compare('ä', 'z')]], // prettier-ignore
    ['DateTimeFormat', new Intl.DateTimeFormat('ja-u-ca-japanese', { dateStyle: 'long', timeZone: 'UTC' }), formats(0 as never)], // prettier-ignore
    ['DateTimeFormat of parts', new Intl.DateTimeFormat('en', { hour: '2-digit', hour12: false, timeZone: 'Asia/Tokyo', timeZoneName: 'short', fractionalSecondDigits: 2 }), formats(0 as never)], // prettier-ignore
    ['DisplayNames', new Intl.DisplayNames('de', { type: 'region', fallback: 'none' }), (each: Intl.DisplayNames) => [each.of('JP'), each.of('ZX')]], // prettier-ignore
    [
      'DurationFormat',
      new (Intl as never as { DurationFormat: new (locale: string, options: object) => object }).DurationFormat('en', {
        style: 'digital',
      }),
      formats({ hours: 1, seconds: 3 } as never),
    ],
    ['ListFormat', new Intl.ListFormat('en', { type: 'disjunction' }), formats(['a', 'b'] as never)],
    ['Locale', new Intl.Locale('de-Latn-DE-u-hc-h12', { numeric: true }), (each: Intl.Locale) => [each.toString(), each.numeric, each.hourCycle]], // prettier-ignore
    ['NumberFormat', new Intl.NumberFormat('en-IN', { style: 'unit', unit: 'kilometer-per-hour', notation: 'compact', useGrouping: 'min2' }), formats(1234567.891 as never)], // prettier-ignore
    ['NumberFormat that rounds', new Intl.NumberFormat('en', { roundingIncrement: 5, maximumFractionDigits: 2, minimumFractionDigits: 2 }), formats(1.23 as never)], // prettier-ignore
    ['PluralRules', new Intl.PluralRules('ar', { type: 'ordinal' }), (each: Intl.PluralRules) => each.select(3)],
    ['RelativeTimeFormat', new Intl.RelativeTimeFormat('es', { numeric: 'auto' }), formats(...([1, 'day'] as never[]))],
    ['Segmenter', new Intl.Segmenter('ja', { granularity: 'word' }), (each: Intl.Segmenter) => [...each.segment('日本語の文')].length], // prettier-ignore
  ])('%s says the same', (_, value, use) => {
    const copy = copyTwice(value);
    expect(copy.constructor).toBe(value.constructor);
    expect(use(copy as never)).toEqual(use(value as never));
    if ('resolvedOptions' in value && 'resolvedOptions' in copy)
      expect((copy.resolvedOptions as () => unknown)()).toEqual((value.resolvedOptions as () => unknown)());
  });
});
