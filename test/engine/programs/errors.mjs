// Errors of V8 and of the program that are caught in the same function or in a caller, rejected promises, then an uncaught error.
import { readFileSync } from 'node:fs';

function parse(text) {
  return JSON.parse(text);
}

function tried(text) {
  try {
    return parse(text);
  } catch (error) {
    return error.name;
  }
}

function passedOn(text) {
  try {
    if (text === 'x') throw new RangeError(`no ${text}`);
  } catch (error) {
    error.text = text;
    throw error;
  }
}

async function late() {
  await Promise.resolve();
  throw new TypeError('late');
}

function quiet() {
  try {
    readFileSync('/nowhere');
  } catch {
    return Date.now() > 0;
  }
}

console.log(tried('{'), tried('1'));
try {
  passedOn('x');
} catch ({ message }) {
  console.log(message);
}
try {
  await late();
} catch (error) {
  console.log(error.message);
}
console.log(await Promise.reject(new Error('at once')).catch((error) => error.message));
console.log(quiet());
process.on('uncaughtException', (error) => console.log('not caught', error.message));
setTimeout(() => {
  throw new Error('lost');
}, 1);
