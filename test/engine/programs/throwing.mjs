// Every kind of throw. The comment of a line that throws has its number in the order of execution, and its kind.
import { setTimeout as delay } from 'node:timers/promises';

process.on('uncaughtException', (error) => console.log('uncaught', error.message));
process.on('unhandledRejection', (error) => console.log('unhandled', error.message));

function caughtHere() {
  try {
    throw new Error('caught here'); // THROW 1 caught
  } catch (error) {
    return error.message;
  }
}

function fails(text) {
  throw new RangeError(text); // THROW 2 caught
}

function rethrows() {
  try {
    throw new Error('thrown again'); // THROW 3 caught
  } catch (error) {
    error.text = 'again';
    throw error;
  } finally {
    console.log('finally');
  }
}

async function failsAtOnce() {
  throw new Error('at once'); // THROW 4 rejection
}

async function failsLater() {
  await delay(1);
  throw new Error('later'); // THROW 5 rejection
}

async function passesOn() {
  return await failsLater();
}

function rejects() {
  return new Promise((_, reject) => {
    reject(new Error('rejected')); // THROW 6 rejection
  });
}

async function failsForLater() {
  throw new Error('awaited later'); // THROW 8 rejection
}

async function failsOfMany() {
  await Promise.resolve();
  throw new Error('one of many'); // THROW 9 rejection
}

function failsAsText() {
  throw 'a text'; // THROW 10 caught
}

async function failsAsNumber() {
  throw 42; // THROW 11 rejection
}

function failsInEngine(value) {
  return value.part.length; // THROW 12 caught
}

async function failsInCallback() {
  await [1].map((each) => {
    throw new Error(`in a callback ${each}`); // THROW 13 rejection
  });
}

async function isNeverHandled() {
  throw new Error('never handled'); // THROW 15 rejection
}

async function tried(run) {
  try {
    return await run();
  } catch (error) {
    return error.message ?? error;
  }
}

function triedAtOnce(run) {
  try {
    return run();
  } catch (error) {
    return error.message ?? error;
  }
}

console.log(caughtHere());
console.log(triedAtOnce(() => fails('caught by the caller')));
console.log(triedAtOnce(rethrows));
console.log(await tried(failsAtOnce));
console.log(await tried(passesOn));
console.log(await rejects().catch((error) => error.message));
const rejected = Promise.reject(new Error('at birth')); // THROW 7 rejection
console.log(await rejected.then(null, (error) => error.message));
const pending = failsForLater();
pending.catch(() => {});
await delay(2);
console.log(await tried(() => pending));
console.log(await tried(() => Promise.all([delay(1), failsOfMany()])));
console.log(triedAtOnce(failsAsText));
console.log(await tried(failsAsNumber));
console.log(triedAtOnce(() => failsInEngine({})));
console.log(await tried(failsInCallback));
setTimeout(() => {
  throw new Error('in a timer'); // THROW 14 uncaught
}, 1);
await delay(5);
void isNeverHandled();
await delay(5);
console.log('end');
