// The proof the design rests on: one eventual with a frame waiting on it and a job queue with an entry, written as JSON by
// hand in one process and continued in a fresh one. Run: node -C turntable-source bench/prototype/capture.mjs
import { createRealm, internals } from '@turntable/core';
import { execFileSync } from 'node:child_process';

const realm = createRealm({ queueMicrotask });

// async function sum(n) { let s = 0; for (let i = 0; i < n; i++) s += await ask(i); return s }
function sum$s($F, $v, $t) {
  let $pc = $F.pc;
  $F.pc = 0;
  let n = $F.s0,
    s = $F.s1,
    i = $F.s2;
  for (;;)
    switch ($pc) {
      case 0:
        s = 0;
        i = 0;
      case 2:
        if (!(i < n)) return s;
        $F.s0 = n;
        $F.s1 = s;
        $F.s2 = i;
        return realm.await($F, 1, realm.Promise.resolve(i * 10));
      case 1:
        if ($t === 1) throw $v;
        s = s + $v;
        i++;
        $pc = 2;
    }
}
// async function report(p) { console.log('sum', await p) }
function report$s($F, $v, $t) {
  const $pc = $F.pc;
  $F.pc = 0;
  if ($pc === 0) return realm.await($F, 1, $F.s0);
  if ($t === 1) throw $v;
  console.log('sum', $v, 'in process', process.pid);
}
const steps = { sum$s, report$s };
const slots = ['s0', 's1', 's2'];

if (process.argv[2] === undefined) {
  const sum = new realm.Frame(sum$s);
  sum.s0 = 4;
  const eventual = realm.async(sum);
  const report = new realm.Frame(report$s);
  report.s0 = eventual;
  realm.async(report);
  // `sum` has a job in the queue (its first await is on something settled); `report` waits on sum's eventual.
  const [job] = internals.readQueues(realm).jobs;
  const written = JSON.stringify({
    frames: [sum, report].map((frame) => ({
      step: frame.step.name,
      pc: frame.pc,
      slots: slots.map((slot) => (frame[slot] === eventual ? 'eventual' : frame[slot])),
    })),
    eventual: internals.read(realm, eventual).fields.state,
    waiting: internals.read(realm, eventual).fields.waiting === report,
    job: { target: job.target === sum ? 0 : -1, kind: job.kind, value: job.value },
  });
  console.log('written in process', process.pid, written);
  process.stdout.write(execFileSync(process.execPath, ['-C', 'turntable-source', import.meta.filename, written]));
  process.exit(0); // before this process runs a job
}

const written = JSON.parse(process.argv[2]);
const eventual = internals.allocate(realm, 'eventual');
const [sum, report] = written.frames.map(({ step, pc, slots: values }) => {
  const frame = new realm.Frame(steps[step]);
  frame.pc = pc;
  slots.forEach((slot, i) => (frame[slot] = values[i] === 'eventual' ? eventual : (values[i] ?? undefined)));
  return frame;
});
sum.result = eventual;
report.result = internals.allocate(realm, 'eventual');
internals.fill(realm, eventual, {
  kind: 'eventual',
  fields: { state: written.eventual, value: undefined, waiting: report, handled: true },
});
internals.writeQueues(realm, {
  jobs: [{ target: sum, kind: written.job.kind, value: written.job.value }],
  ticks: [],
  rejections: [],
});
