/** Preload for a process whose memory is measured with `--expose-gc`: the signal triggers a garbage collection. */
process.on('SIGUSR2', () => globalThis.gc?.());
