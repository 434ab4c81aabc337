// Reads the settings of this process before its program. An error in a file is shown with its line, like a syntax
// error; an error in the environment or a flag takes one line.
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
