/**
 * The encryption library prints sessions with their private keys to the console. Parley itself writes to its log, never
 * to the console, so nothing is lost by silencing these.
 */
export function silenceSignalConsole(target: Pick<Console, 'info' | 'warn' | 'error'>): void {
  const silence = () => undefined;
  target.info = silence;
  target.warn = silence;
  target.error = silence;
}
