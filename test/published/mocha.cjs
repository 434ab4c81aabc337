// Runs a file that is written for Mocha: what of Mocha such files use, in as few words as that takes, and as lines of TAP. It is part of the program, so it runs again
// where the program does.
const { resolve } = require('node:path');

const TIMEOUT = 10_000;
const root = { name: '', hooks: {}, parts: [], above: undefined, isSkipped: false };
let suite = root;

function describe(name, body, isSkipped = false) {
  const own = { name, hooks: {}, parts: [], above: suite, isSkipped: isSkipped || suite.isSkipped };
  suite.parts.push(own);
  const around = suite;
  suite = own;
  body.call({ timeout() {}, retries() {}, slow() {} });
  suite = around;
}
function it(name, body) {
  const test = { name, body, limit: TIMEOUT };
  suite.parts.push(test);
  const own = { timeout: (limit) => ((test.limit = limit), own), retries: () => own, slow: () => own };
  return own;
}
describe.skip = (name, body) => describe(name, body, true);
it.skip = (name) => it(name);
for (const name of ['before', 'after', 'beforeEach', 'afterEach'])
  globalThis[name] = (first, second) => (suite.hooks[name] ??= []).push(second ?? first);
Object.assign(globalThis, { describe, context: describe, it, specify: it });

const SKIPPED = new Error('skipped');
const context = {
  timeout: () => context,
  retries: () => context,
  slow: () => context,
  skip() {
    throw SKIPPED;
  },
};

function ended(body, limit = TIMEOUT) {
  return new Promise((fulfil, reject) => {
    const timer = setTimeout(() => reject(new Error('it takes too long')), limit);
    const done = (error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else fulfil();
    };
    if (body.length > 0) return body.call(context, done);
    Promise.resolve(body.call(context)).then(() => done(), done);
  });
}

async function all(hooks = []) {
  for (const hook of hooks) await ended(hook);
}

const around = (suite) => (suite === undefined ? [] : [...around(suite.above), suite]);

async function run(own, depth) {
  const { name, parts, hooks, isSkipped } = own;
  const indent = '    '.repeat(Math.max(depth, 0));
  const inner = '    '.repeat(depth + 1);
  if (depth >= 0) console.log(`${indent}# Subtest: ${name}`);
  if (!isSkipped) await all(hooks.before);
  let number = 0;
  for (const part of parts) {
    if (part.parts !== undefined) {
      await run(part, depth + 1);
      continue;
    }
    const line = `${++number} - ${part.name.replaceAll('\n', ' ')}`;
    if (part.body === undefined || isSkipped) {
      console.log(`${inner}ok ${line} # SKIP`);
      continue;
    }
    let failure;
    try {
      for (const each of around(own)) await all(each.hooks.beforeEach);
      await ended(part.body, part.limit);
      for (const each of around(own).reverse()) await all(each.hooks.afterEach);
    } catch (error) {
      failure = error;
    }
    const isLeft = failure === SKIPPED;
    console.log(`${inner}${failure === undefined || isLeft ? 'ok' : 'not ok'} ${line}${isLeft ? ' # SKIP' : ''}`);
    if (failure !== undefined && !isLeft) console.error(failure);
  }
  if (!isSkipped) await all(hooks.after);
  if (depth >= 0) console.log(`${indent}ok ${depth} - ${name}`);
}

require(resolve(process.argv[2]));
run(root, -1).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
