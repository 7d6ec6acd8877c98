/** Loaded into a process whose memory is measured, with `--expose-gc`: the signal has it drop what nobody needs. */
process.on('SIGUSR2', () => globalThis.gc?.());
