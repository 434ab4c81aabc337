// The program whose load time is measured: loads the modules named on the command line in turn and prints the time.
// Without any, the bench times the whole process.
const started = performance.now();
const specifiers = process.argv.slice(2);
const cpu = specifiers.length === 0 ? { user: 0, system: 0 } : process.cpuUsage();
for (const specifier of specifiers) await import(specifier);
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ wall: performance.now() - started, cpu: (user + system) / 1000 }));
