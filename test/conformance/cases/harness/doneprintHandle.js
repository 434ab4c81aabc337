// How an asynchronous case tells that it is done.
function $DONE(error) {
  print(error ? `Test262:AsyncTestFailure:${error.name}: ${error.message}` : 'Test262:AsyncTestComplete');
}
function test(run) {
  run().then(() => $DONE(), $DONE);
}
