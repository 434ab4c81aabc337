// Import this first in tests whose processes must run from sources, because processes started from sources read or
// write their files.
process.env['TURNTABLE_TESTED'] = 'source';
