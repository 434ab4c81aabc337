// Errors that nothing handles: one that a timer throws again, then one of a promise, which ends the process.
process.once('uncaughtException', (error) => console.log('uncaught', error.message));

function fails() {
  throw new Error('thrown first'); // THROW 1 caught
}

async function isNeverHandled() {
  throw new Error('never handled'); // THROW 2 rejection
}

setTimeout(() => {
  try {
    fails();
  } catch (error) {
    error.text = 'again';
    throw error; // REPORT
  }
}, 1);
setTimeout(() => {
  void isNeverHandled();
  console.log('not yet'); // REPORT
}, 20);
