/*
 * Like `turntable/register`, but writes at exit which packages ran transformed: a library that stayed native by mistake
 * would equal itself.
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
