// The same service and who asks it, so many times one after the other.
const [, , times = '1'] = process.argv;
for (let i = 0; i < Number(times); i++) await import(`./serving.mjs?${i}`);
