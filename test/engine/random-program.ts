// Random actor programs to record. Their turns call back from builtins, getters, proxies, generators and finally
// blocks, await promises, timers and each other, spawn, throw, and leave work undone. Each program is two files. Calls
// whose answer is not awaited handle their errors, so that every program ends well.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';

export interface RandomProgram {
  readonly main: string;
  readonly actors: string;
}

/**
 * Writes a program where it finds our packages and returns its entry file. A number after the file, as argument,
 * repeats all of its work that many times.
 */
export function writeProgram(directory: string, { main, actors }: RandomProgram): string {
  mkdirSync(join(directory, 'node_modules'), { recursive: true });
  const turntable = fileURLToPath(new URL('../../packages/turntable', import.meta.url));
  symlinkSync(turntable, join(directory, 'node_modules/turntable'));
  writeFileSync(join(directory, 'actors.mjs'), actors);
  const file = join(directory, 'main.mjs');
  writeFileSync(file, main);
  return file;
}

const number = fc.integer({ min: 0, max: 9 });

/** Statements without nested blocks. `N` is a number. */
const PLAIN_STATEMENTS = [
  'this.n += N;',
  'this.n = (this.n * 7 + N) % 101; this.list.push(this.n);',
  'this.list.unshift(N); if (this.list.length > 9) this.list.splice(N % 3, 4, { at: N });',
  'this.list.reverse(); this.list.length = Math.min(this.list.length, 1 + N);',
  'this.map.set(`k${this.n % 4}`, [N, this.list.length]);',
  'this.map.delete(`k${N % 4}`); this.map.set("last", this.map.size);',
  'if (!this.set.delete(this.n % 5)) this.set.add(this.n % 5);',
  'this.#own = this.#own === N ? undefined : N;',
  'this.bytes[N % 8] ^= this.n; this.bytes.copyWithin(N % 8, 1, 3);',
  'this.box.value = N; this.n += this.box.value % 13;',
  'this.proxy[`p${this.n % 3}`] = N; if ("p1" in this.proxy) this.n++;',
  'Reflect.deleteProperty(this.proxy, `p${N % 3}`); this.n += Object.keys(this.proxy).length;',
  'this.walk.next(N); if (this.n % 5 === N % 5) { this.walk.return(N); this.walk = this.walking(N); }',
  'try { this.walk.throw(new RangeError("thrown N")); } catch (error) { this.note(error.message); this.walk = this.walking(2); }',
  'this.n += JSON.stringify({ toJSON: () => { this.n++; return [N]; } }).length;',
  'this.note(`${{ toString: () => { this.n += N; return "text"; } }}`.replace(/t/g, (t) => { this.n++; return `${t}N`; }));',
  'this.fns.push((by) => { this.n += by + N; return () => this.n--; }); if (this.fns.length > 3) this.fns.shift();',
  'for (const fn of this.fns) fn(N)();',
  'Object.defineProperty(this.rec, `d${N % 3}`, { value: this.n, configurable: true, enumerable: N % 2 === 0, writable: true });',
  'delete this.rec[`d${N % 3}`]; this.rec = { ...this.rec, last: N };',
  'const { last = N, ...others } = this.rec; this.n += last; Object.assign(this.rec, others, { [`x${N}`]: last });',
  'this.weak.set(this.box, (this.weak.get(this.box) ?? 0) + N);',
  'this.when.setTime(this.when.getTime() + N);',
  'this.pattern.lastIndex = 0; while (this.pattern.exec("banana-N") !== null) this.n++;',
  'this.chance = Math.floor(Math.random() * 10) + N;',
  'this.gates.shift()?.(N);',
  'queueMicrotask(() => { this.n += N; this.list.push("micro"); });',
  'process.nextTick(() => { this.n -= N; });',
  'setTimeout(() => { this.n += N; this.gates.shift()?.("late"); }, 1);',
  'setTimeout(() => this.note("never"), 60_000).unref();',
  'this.later(N).then((value) => this.note(value), (error) => this.note(error.message));',
  'new Promise((_, reject) => reject(new Error("refused N"))).catch(({ message }) => this.note(message)).finally(() => this.n++);',
  'seen.set(this.id, this.n); shared.push(N); if (shared.length > 5) shared = shared.slice(-2);',
  'console.log(`${this.id} at ${this.n}`);',
  'this.self(N % 4);',
  'const made = new Held(N, this); this.held = this.n % 2 === 0 ? made : { made, before: this.held?.size };',
];

/** Statements for async functions. */
const AWAIT_STATEMENTS = [
  'await null;',
  'this.n += await N;',
  'await new Promise((resolve) => setTimeout(resolve, 1));',
  'await new Promise((resolve) => { this.gates.push(resolve); setImmediate(() => resolve("in time")); });',
  'this.note(await Promise.all([this.later(N), new Promise((resolve) => queueMicrotask(() => resolve(N)))]));',
  'this.note(await Promise.race([this.later(N), this.later(1)]));',
  'this.note((await Promise.allSettled([this.failing(N), this.later(N)])).map(({ status }) => status).join());',
  'for await (const each of this.flow(N % 4)) { this.n += each; if (each === 2) break; }',
  'try { await this.failing(N); } catch (error) { this.note(error.message); } finally { await null; this.n++; }',
  'if (hops > 0) this.note(await this.peer().work(hops - 1, N).catch(({ message }) => message));',
  'if (hops > 0) this.note(await Promise.all([this.peer().plain(hops - 1, N), this.peer().plain(hops - 1, 1)]).catch(({ message }) => message));',
];

/** Statements that send messages without waiting for the answer. */
const SEND_STATEMENTS = [
  'if (hops > 0) this.peer().plain(hops - 1, N).then((value) => this.note(value), ({ message }) => this.note(message));',
  'if (hops > 0) this.peer().work(hops - 1, N).catch(({ message }) => this.note(message));',
  'if (hops > 0 && this.children.length < 2) { const child = spawn(Leaf, this.id); this.children.push(child); child.grow(N).then((size) => this.note(size)); }',
  'for (const child of this.children) child.grow(N).catch(() => 0);',
  'this.promised = this.promised === undefined || N > 5 ? this.later(N) : undefined;',
  'if (hops > 0 && this.promised !== undefined) this.peer().take(this.promised, { deep: [N] }).catch(({ message }) => this.note(message));',
];

type StatementArbitraries = { statement: string; block: string };
const indented = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n');

function methodBodies(isAsync: boolean): fc.Arbitrary<string> {
  const simple = (texts: readonly string[]): fc.Arbitrary<string> =>
    fc.tuple(fc.constantFrom(...texts), number).map(([text, n]) => `{ ${text.replaceAll(/\bN\b/g, `${n}`)} }`);
  const { block } = fc.letrec<StatementArbitraries>((tie) => {
    const compound = (make: (first: string, second: string, n: number) => string): fc.Arbitrary<string> =>
      fc.tuple(tie('block'), tie('block'), number).map(([first, second, n]) => make(first, second, n));
    return {
      statement: fc.oneof(
        { maxDepth: 2, depthIdentifier: 'statement' },
        { weight: 8, arbitrary: simple(PLAIN_STATEMENTS) },
        ...(isAsync ? [{ weight: 5, arbitrary: simple(AWAIT_STATEMENTS) }] : []),
        { weight: 3, arbitrary: simple(SEND_STATEMENTS) },
        {
          weight: 2,
          arbitrary: compound(
            (first, second, n) =>
              `try {\n${first}\nif (this.n % 3 === ${n % 3}) throw new TypeError('odd ${n}');\n} catch (error) { this.note(error.message); }\nfinally {\n${second}\n}`,
          ),
        },
        {
          weight: 1,
          arbitrary: compound((first, second, n) => `if (this.n % 2 === ${n % 2}) {\n${first}\n} else {\n${second}\n}`),
        },
        {
          weight: 1,
          arbitrary: compound(
            (first, _, n) => `for (let i = 0; i < ${1 + (n % 3)}; i++) {\n${first}\nif (this.n % 4 === i) continue;\n}`,
          ),
        },
        {
          weight: 1,
          arbitrary: compound(
            (first, _, n) =>
              `for (const step of this.walking(${n % 4})) {\nthis.n += step;\n${first}\nif (step === 2) break;\n}`,
          ),
        },
      ),
      block: fc.array(tie('statement'), { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n')),
    };
  });
  return fc.array(block, { minLength: 2, maxLength: 3 }).map((blocks) => indented(blocks.join('\n').split('\n')));
}

/** Callbacks of builtins are not async. */
const callableBodies = methodBodies(false);

export const randomPrograms: fc.Arbitrary<RandomProgram> = fc
  .record({
    work: methodBodies(true),
    plain: methodBodies(false),
    self: callableBodies,
    main: fc.array(number, { minLength: 3, maxLength: 5 }),
  })
  .map(({ work, plain, self, main }) => ({ actors: renderActors(work, plain, self), main: renderMain(main) }));

function renderActors(work: string, plain: string, self: string): string {
  return `import { Actor, spawn } from 'turntable';
const seen = new Map();
let shared = [];
class Held {
  #by;
  size = 1;
  constructor(size, by) { this.size = size; this.#by = by; by.n++; }
  get by() { return this.#by; }
}
export class Leaf extends Actor {
  #of; sizes = [];
  constructor(of) { super(); this.#of = of; }
  async grow(by) { this.sizes.push(by); if (by > 2) await null; this.sizes.sort(); return \`\${this.#of} \${this.sizes.length}\`; }
}
export class Node extends Actor {
  n = 1; list = [3, 1, 2]; map = new Map(); set = new Set(); bytes = new Uint8Array(8); rec = {}; fns = []; gates = []; log = [];
  weak = new WeakMap(); when = new Date(0); pattern = /an/g; children = []; peers = []; held; promised; chance; asked = 0; depth = 0;
  #own = 0;
  constructor(id) {
    super();
    const node = this;
    this.id = id;
    this.box = { set value(value) { node.list.push(value); this.set = value; }, get value() { node.asked++; return (this.set ?? 0) + node.asked; } };
    this.proxy = new Proxy({}, {
      set(target, key, value) { node.asked++; return Reflect.set(target, key, value); },
      has(target, key) { node.note(\`has \${key}\`); return Reflect.has(target, key); },
      deleteProperty(target, key) { node.asked += 2; return Reflect.deleteProperty(target, key); },
      ownKeys(target) { node.asked++; return Reflect.ownKeys(target); },
    });
    this.walk = this.walking(2);
  }
  meet(peers) { this.peers = peers; }
  peer() { return this.peers[this.n % this.peers.length]; }
  note(what) { this.log.push(what); if (this.log.length > 12) this.log.splice(0, 5); }
  *walking(from) {
    try {
      for (let i = from; i > 0; i--) { try { const got = yield i; this.n += got ?? 0; } finally { this.asked++; } }
    } finally { this.n++; }
  }
  async *flow(count) { try { for (let i = 0; i < count; i++) { await null; yield i; } } finally { this.note('flowed'); } }
  async later(number) { await null; this.n++; return number / 2; }
  async failing(number) { await null; if (number % 2 === 0) throw new RangeError(\`failed \${number}\`); return number; }
  async take(promise, { deep }) { this.note(await promise); deep.push(this.n); this.rec.deep = deep; return deep; }
  self(times) {
    if (this.depth > 0) return;
    this.depth++;
    const hops = 0;
    try {
      Array.from({ length: times }, (_, at) => { this.n += at; }).forEach(() => { this.asked++; });
      this.list = this.list.map((each) => each).sort((one, other) => { this.asked++; return String(one) < String(other) ? -1 : 1; });
      this.list.slice(0, 1).forEach(() => {
${self}
      });
    } finally { this.depth--; }
  }
  plain(hops, by) {
    this.n += by;
${plain}
    return \`\${this.id} \${this.n}\`;
  }
  async work(hops, by) {
    this.n += by;
${work}
    return { id: this.id, n: this.n };
  }
}
`;
}

function renderMain(numbers: readonly number[]): string {
  return `import { spawn, start } from 'turntable';
import { Node } from './actors.mjs';
const app = start({ workers: 2 });
const nodes = ['ann', 'bob', 'cy'].map((id) => spawn(Node, id));
for (const node of nodes) node.meet(nodes);
const told = [];
let ticks = 0;
const ticking = setInterval(() => { ticks++; told.push({ ticks }); }, 2);
const rounds = Array.from({ length: Number(process.argv[2] ?? 1) }, () => ${JSON.stringify(numbers)}).flat();
for (const [at, by] of rounds.entries()) {
  const asked = nodes.map((node) => node.work(2, by).then((each) => { told.push(each); return each.n; }, ({ message }) => message));
  const plain = nodes[at % 3].plain(1, by).catch(({ message }) => message);
  console.log(await Promise.race([Promise.all([...asked, plain]).then(String), new Promise((resolve) => setTimeout(resolve, 40, 'too long'))]));
  if (at === 1) await app.snapshot();
}
clearInterval(ticking);
nodes[0].plain(0, 1).catch(() => 0);
await app.close();
`;
}
