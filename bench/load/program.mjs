// The program whose load time is taken: loads the modules named on the command line, one after the other, and says how long it took.
// Without any, what counts is the whole process.
const started = performance.now();
const specifiers = process.argv.slice(2);
const cpu = specifiers.length === 0 ? { user: 0, system: 0 } : process.cpuUsage();
for (const specifier of specifiers) await import(specifier);
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ wall: performance.now() - started, cpu: (user + system) / 1000 }));
