/** Silences the console, because the encryption library prints private keys. Parley writes only to its log. */
export function silenceSignalConsole(target: Pick<Console, 'info' | 'warn' | 'error'>): void {
  const silence = () => undefined;
  target.info = silence;
  target.warn = silence;
  target.error = silence;
}
