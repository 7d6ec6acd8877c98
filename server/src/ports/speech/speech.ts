/** Speaks and transcribes. A member is null if no provider is configured for it. Calls reject with `ProviderError`. */
export interface Speech {
  readonly synthesize: ((text: string, signal: AbortSignal) => Promise<SpokenText>) | null;
  /** Returns the words in the language that was spoken. Rejects with kind `refused` if the audio cannot be read. */
  readonly transcribe: ((audio: Audio, signal: AbortSignal) => Promise<string>) | null;
}

export interface Audio {
  bytes: Uint8Array;
  mimeType: string;
}

/** `bytes` are Ogg Opus. `waveform` has 64 values from 0 to 100. */
export interface SpokenText {
  bytes: Uint8Array;
  seconds: number;
  waveform: Uint8Array;
}

export const noSpeech: Speech = { synthesize: null, transcribe: null };
