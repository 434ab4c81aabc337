// Imported before anything else: processes of these tests run from sources, as what they have beside it does, which reads or writes what they have written.
process.env['TURNTABLE_TESTED'] = 'source';
