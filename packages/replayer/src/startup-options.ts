// The settings of this process, before its program. One in a file is wrong at a line of that, which is shown as a syntax error is; one of the environment or of a
// flag is told in a line.
import { LoaderError, loaderOptions, type LoaderOptions } from '@turntable/loader';

export function loadOptionsOrExit(): LoaderOptions {
  try {
    return loaderOptions();
  } catch (error) {
    if (!(error instanceof LoaderError) || error.path !== undefined) throw error;
    process.stderr.write(`turntable: ${error.message}\n`);
    return process.exit(2);
  }
}
