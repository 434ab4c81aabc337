/*
 * What `turntable/register` does, and at the end a file that says which packages ran transformed: a library that had
 * silently stayed native would compare equal to itself.
 */
import { writeFileSync } from 'node:fs';
import { createLoaderRealm } from '@turntable/boundary';
import { install } from '@turntable/replayer';
import { runtimeTransform, transformer } from '@turntable/loader';

const loader = install(transformer, createLoaderRealm(runtimeTransform));
const report = process.env['LIBRARIES_REPORT'];
process.on('exit', () => {
  if (report !== undefined) writeFileSync(report, JSON.stringify(loader.classificationReport().packages));
});
