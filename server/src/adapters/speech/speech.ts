export interface Speech {
  readonly name: string;
  synthesize(text: string, signal: AbortSignal): Promise<SpokenText>;
  transcribe(audio: { bytes: Uint8Array; mimeType: string }, signal: AbortSignal): Promise<string>;
}

/** `bytes` are Ogg Opus. `waveform` has 64 values from 0 to 100. */
export interface SpokenText {
  bytes: Uint8Array;
  seconds: number;
  waveform: Uint8Array;
}
