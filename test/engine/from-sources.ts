// First of all: engines that tests hold in their own process run from its sources, and so does what they have recorded.
process.env['TURNTABLE_TESTED'] = 'source';
// As `record` has them: they are in states.
Object.assign(process.env, { NODE_OPTIONS: '', NO_COLOR: '1' });
// Not those of the runner of tests.
process.execArgv.splice(0, process.execArgv.length, '-C', 'turntable-source');
