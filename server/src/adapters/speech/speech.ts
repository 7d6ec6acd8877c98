export interface Speech {
  readonly name: string;
  synthesize(text: string, signal: AbortSignal): Promise<SpokenText>;
  transcribe(audio: { bytes: Uint8Array; mimeType: string }, signal: AbortSignal): Promise<string>;
}

export interface SpokenText {
  /** Ogg Opus. */
  bytes: Uint8Array;
  seconds: number;
  /** 64 values of 0..100. */
  waveform: Uint8Array;
}
