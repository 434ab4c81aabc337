import type { Kind } from '../oracle/program.ts';

/** Programs that run one task with each `exports.next()`. */

const PREAMBLE = `
  const said = exports.said = [];
  const waiting = [];
  const turn = (value) => new Promise((resolve) => waiting.push(() => resolve(value)));
  let count = 0;
  exports.next = () => { count++; waiting.splice(0).forEach((go) => go()); if (exports.turn) exports.turn(count); };
`;

const SOURCES: Readonly<Record<string, string>> = {
  'properties, elements, variables of the file, boxes': `
    const o = { a: 1, b: { c: [1, 2, 3] }, get d() { return this.a; }, set d(x) { this.a = x; } };
    let top = 0, other = 'x', sparse = [1, , 3];
    const counter = (() => { let n = 0; return { up: () => ++n, set: (x) => { n = x; [n] = [n + 1]; } }; })();
    const key = () => 'k' + count;
    exports.turn = (n) => {
      o.a++; o.b.c[1] += n; o.d = n; o[key()] = n; top = n; [top, o.z] = [n, n]; ({ top: other = n } = {}); sparse[7] = n; sparse[1] = n;
      counter.up(); counter.set(n); o.b.c.length = n; o.b.c[5 + n] = n; delete o['k' + (n - 1)]; for (o.last of [1, 2]); for (top in { x: 1 });
      o.b = { ...o.b, n }; count += 0; exports.seen = top; delete o?.b?.n; delete o.none?.b.c; o?.['b'].c.sort(); const { a, ...rest } = o; o.rest = rest; o.n ??= n; o.n ||= 3; o.n &&= 5 + n;
      if (n == 2) { delete o.a; o.a = 7; Object.defineProperty(o, 'hidden', { value: n, configurable: true }); Object.defineProperty(o, 'quiet', { value: n, writable: true, configurable: true }); } if (n === 3) o.quiet = 4;
      Object.assign(o, { p: n, q: { n } }); Reflect.set(o, 'r', n); Reflect.deleteProperty(o, 'q'); Object.setPrototypeOf(o, n % 2 ? null : Object.prototype);
      try { null.x = 1; } catch {} try { undefined[key()] = 1; } catch {}
      function f(a, b) { arguments[0] = 9; b = 3; return [a, arguments[1]]; } o.f = f(1, 2);
    };
  `,
  collections: `
    const map = new Map([[1, { n: 1 }], ['a', 2]]), set = new Set([1, 2, 3]), weak = new WeakMap(), seen = new WeakSet();
    const keys = exports.keys = [{ k: 1 }, { k: 2 }]; const large = new Map(), many = new Set(); for (let i = 0; i < 300; i++) { large.set(i, i); many.add(i); }
    const date = new Date(0), list = [5, 3, 1], long = Array.from({ length: 500 }, (_, i) => i);
    Object.assign(exports, { map, set, weak, seen, large, many, date, list, long });
    exports.turn = (n) => {
      map.get(1).n = n; map.set('b' + n, n); map.delete('a'); map.set('a', n); if (n === 3) { map.clear(); map.set(1, {}); } set.add(n * 10); set.delete(n); weak.set(keys[n % 2], n); weak.delete(keys[0]); seen.add(keys[1]);
      large.set(n, -n); large.set('x' + n, n); many.add('y' + n); if (n === 2) { large.delete(5); many.delete(7); large.set(5, 'again'); }
      date.setFullYear(1980 + n); list.push(n, n); list.sort(); list.shift(); list.unshift(n); list.splice(1, 1, 'm', 'n'); list.reverse(); list.fill(n, 0, 1); list.copyWithin(0, 2); list.pop();
      long.push(n); long[3] = n; long.pop(); long.pop(); long.length -= 1; Array.prototype.push.call(long, 'called'); const { push } = Array.prototype; Reflect.apply(push, long, [1]); [7].forEach(set.add, set);
    };
  `,
  'expressions and dead variables': `
    const re = /a/g, sticky = /b/y, o = { re: /c/g }; Object.assign(exports, { re, sticky, o });
    async function f() { const g = () => late; const log = () => { try { said.push(g()); } catch (e) { said.push(e.name); } }; log(); await turn(); let late = 7; log(); await turn(); late = 8; log(); }
    f();
    exports.turn = (n) => { said.push(re.exec('aaaaaa').index, sticky.test('bbbb'), 'cc'.match(o.re).length); o.re.lastIndex = n; said.push(o.re.test('cccccc'), 'aa'.replace(re, 'x')); re.lastIndex = n; if (n > 1) re.test('aaaaaaa'); };
  `,
  'objects of Node, rejections': `
    const EventEmitter = require('node:events'), { StringDecoder } = require('node:string_decoder'), emitter = new EventEmitter(), decoder = new StringDecoder('utf8'), params = new URLSearchParams('a=1&b=2'), buffer = Buffer.alloc(20);
    Object.assign(exports, { emitter, decoder, params, buffer }); let no; const rejected = exports.rejected = new Promise((_, n) => { no = n; });
    class Own extends EventEmitter { constructor() { super(); this.on('x', () => said.push('x')); } } const mine = exports.mine = new Own();
    exports.turn = (n) => {
      emitter.on('a', () => said.push('a' + n)); emitter.on('b', () => said.push('b')); emitter.emit('a'); if (n === 2) emitter.emit('b'); if (n === 3) emitter.removeAllListeners('a'); mine.emit('x'); mine.on('y', () => {}); mine.off('y', mine.listeners('y')[0]); mine.prependListener('x', () => {});
      said.push(decoder.write(Buffer.from([0xe2, 0x82].slice(0, n)))); params.append('c', n); params.delete('a'); params.set('b', 'x y&z'); buffer.writeUInt16BE(n, n); buffer.write('hi', 10); buffer.copy(buffer, 5, 0, 4); buffer.fill(n, 15, 16);
      if (n === 2) no('late'); if (n === 4) rejected.catch(() => {});
    };
  `,
  bytes: `
    const bytes = new Uint8Array(10000), floats = new Float64Array(bytes.buffer, 80, 10), view = new DataView(bytes.buffer), buffer = Buffer.from('hello there'); buffer.label = 'b';
    Object.assign(exports, { bytes, floats, buffer });
    exports.turn = (n) => { bytes[n] = n; bytes[9000 + n] += n; floats[2] = n / 3; view.setInt16(5000, n); bytes.fill(n, 20, 30); bytes.set([1, 2, n], 40); buffer[0] = 64 + n; bytes[100000] = 1; floats.sort(); buffer.label = n; bytes.subarray(100, 110).fill(n); };
  `,
  classes: `
    class Base { #p = 1; static #made = 0; kept = []; constructor() { Base.#made++; this.x = 1; } bump() { return this.#p += 1; } static get made() { return Base.#made; } #secret() { return this.#p; } get secret() { return this.#secret(); } set #quiet(x) { this.#p = x; } hush(x) { this.#quiet = x; } }
    class Derived extends Base { #q = { n: 1 }; y = 2; set both(v) { super.both = v; this.y = v; } act(n) { this.#q.n = n; this.bump(); super.z = n; this.#q = { n, old: this.#q.n }; [this.#q.list] = [n]; return this.made; } static s = 0; }
    const all = exports.all = [new Derived()]; Object.assign(exports, { Base, Derived });
    exports.turn = (n) => { const d = new Derived(); all.push(d); all[0].act(n); d.both = n; all[0].hush(n); Derived.s = n; Base.prototype['m' + n] = () => n; exports.made = Base.made; all[0].kept.push(d.secret); };
  `,
  'async functions, loops and closures': `
    const results = exports.results = [];
    async function work(name) {
      let sum = 0; const add = (n) => { sum += n; }; const o = { t: 0 };
      for (let i = 0; i < 6; i++) { const f = () => i; add(await turn(i)); o.t = f(); o.u ??= []; o.u.push(sum); results[name] = o; if (i === 1) continue; said.push(name + i + sum); }
      return sum;
    }
    async function over(iterable) { for (const [k, v] of iterable) { results.push(k); await turn(v); said.push(k); } }
    const m = new Map([[1, 'a'], [2, 'b'], [3, 'c']]);
    work(20); work(21).then((s) => { said.push(s); }); over(m); const pairs = [[9, 8], [7, 6], [5, 4]].entries(); over([[9, 8], [7, 6], [5, 4]]); (async () => { for (const x of pairs) { await turn(); said.push(x); } })();
    Promise.all([turn(1), turn(2), new Promise((r) => { exports.late = r; })]).then((x) => said.push(x));
    Promise.any([turn(1).then(() => { throw 1; }), turn(2)]).finally(() => said.push('any'));
    exports.turn = (n) => { if (n === 2) exports.late(n); new Promise((_, no) => no(n)).catch((e) => said.push('caught' + e)); queueMicrotask(() => said.push('micro')); };
  `,
  'try, finally, generators, iterators': `
    function* inner(n) { try { for (const x of [1, 2, 3]) said.push((yield x * n) ?? 'nothing'); } finally { said.push('left'); } }
    function* outer() { let total = 0; for (let i = 1; ; i++) { yield* inner(i); total += i; } }
    const it = exports.it = outer(); const kept = exports.kept = [1, 2, 3, 4, 5].values(), letters = exports.letters = 'abcdef'[Symbol.iterator](), helped = exports.helped = [1, 2, 3, 4, 5, 6].values().map((x) => x * count).filter((x) => x > 1);
    async function* numbers() { for (let i = 0; ; i++) { try { const x = yield i; said.push(x); await turn(i); } finally { said.push('f' + i); } } }
    const an = numbers(); (async () => { for await (const x of an) { said.push('for' + x); if (x > 3) break; } })();
    (async () => { try { using r = { [Symbol.dispose]() { said.push('away'); } }; await turn(); await turn(); throw new Error('x'); } catch (e) { said.push(e.message); await turn(); } finally { await turn(); said.push('end'); } })();
    exports.turn = (n) => { said.push(it.next(n).value, kept.next().value, letters.next().value, helped.next().value); if (n === 3) it.return(5); };
  `,
};

export const PROGRAMS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SOURCES).map(([name, source]) => [name, PREAMBLE + source]),
);

/** Surroundings of the functions of random programs; their driver runs a part with each task. */
const WRAPPER = `
  const see = (...values) => { if (said.length < 200) said.push(typeof values.at(-1) === 'object' ? values.at(-1) : String(values.at(-1))); return values.at(-1); };
  let fuel = 90;
  const tick = () => { if (--fuel < -200) throw new RangeError('out of fuel'); };
  const burn = () => --fuel > 0;
  const later = (value) => turn(value);
  const items = (...values) => { let at = 0; return { [Symbol.iterator]: () => ({ next: () => at < values.length ? { value: values[at++], done: false } : { value: undefined, done: true }, return: () => { see('closed'); return {}; } }) }; };
`;

const DRIVERS: Readonly<Record<Kind, string>> = {
  sync: 'exports.turn = (n) => { try { exports.last = main(n); } catch (error) { see(error?.name); } };',
  async:
    'const calls = exports.calls = []; exports.turn = (n) => { if (n < 3) calls.push(main(n).catch((error) => see(error?.name))); };',
  generator:
    'const it = exports.it = main(1); exports.turn = (n) => { try { exports.last = n === 4 ? it.return(n) : it.next(n); } catch (error) { see(error?.name); } };',
  asyncGenerator:
    'const it = exports.it = main(1); exports.turn = (n) => { it[n === 3 ? "throw" : "next"](n).then(see, (error) => see(error?.name)); };',
};

/** A program around the function `main`. */
export function programOf(kind: Kind, main: string): string {
  return `${PREAMBLE}${WRAPPER}${main}\n${DRIVERS[kind]}`;
}
