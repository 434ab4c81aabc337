// To be imported before whatever records: the application runs what was built (`npm run build`), and a process can go on only from snapshots of exactly the version that it runs.
process.env['TURNTABLE_TESTED'] = 'built';
