// The program whose load time is taken: loads the modules named on the command line, one after the other, and says how long it took.
const started = performance.now();
const cpu = process.cpuUsage();
for (const specifier of process.argv.slice(2)) await import(specifier);
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ wall: performance.now() - started, cpu: (user + system) / 1000 }));
