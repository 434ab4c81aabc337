// Many programs one after another in one process: each is imported when what the one before it waited for has happened. Their paths are the arguments.
import { pathToFileURL } from 'node:url';

/** Timers of that many milliseconds and less are over before the next one begins. */
const PAUSE = 30;

for (const path of process.argv.slice(2)) {
  console.log(`— ${path}`);
  try {
    await import(pathToFileURL(path).href);
  } catch (error) {
    console.log('died of', error);
  }
  await new Promise((resolve) => setTimeout(resolve, PAUSE));
}
