// Must be the first import: replay drivers in a test's own process start with the environment of other test processes.
import { FLAGS } from '../../scripts/tested-form.ts';

// As in `record`: states contain them.
Object.assign(process.env, { NODE_OPTIONS: '', NO_COLOR: '1' });
// Not the flags of the test runner.
process.execArgv.splice(0, process.execArgv.length, ...FLAGS);
