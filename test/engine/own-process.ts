// First of all: what engines that tests hold in their own process start begins as what tests start elsewhere.
import { FLAGS } from '../../scripts/tested-form.ts';

// As `record` has them: they are in states.
Object.assign(process.env, { NODE_OPTIONS: '', NO_COLOR: '1' });
// Not those of the runner of tests.
process.execArgv.splice(0, process.execArgv.length, ...FLAGS);
