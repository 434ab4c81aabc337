// Must be imported before anything that records: the application runs the built files (`npm run build`), and a process
// can only restore snapshots of exactly its own version.
process.env['TURNTABLE_TESTED'] = 'built';
