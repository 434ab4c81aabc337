"use strict";
export class AbortError extends Error {
  code = "ABORT_ERR";
  constructor(message = "The operation was aborted", options) {
    super(message, options);
    this.name = "AbortError";
  }
}
