export interface Sound {
  sampleRate: number;
  /** Mono, -1 to 1. */
  samples: Float32Array;
}

export const isWav = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'RIFF';

/** Reads 16-bit PCM and mixes its channels. Throws a `RangeError` for anything else. */
export function readWav(bytes: Uint8Array): Sound {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let format: { channels: number; sampleRate: number } | null = null;
  for (let start = 12; start + 8 <= file.length; ) {
    const name = file.toString('latin1', start, start + 4);
    // Streamed files give the length of their data as 0xFFFFFFFF.
    const end = Math.min(start + 8 + file.readUInt32LE(start + 4), file.length);
    const chunk = file.subarray(start + 8, end);
    if (name === 'fmt ') format = readFormat(chunk);
    if (name === 'data' && format !== null) {
      return { sampleRate: format.sampleRate, samples: mix(chunk, format.channels) };
    }
    start = end + ((end - start) % 2);
  }
  throw new RangeError('The WAV file has no sound');
}

function readFormat(chunk: Buffer): { channels: number; sampleRate: number } {
  const [channels, sampleRate, bits] = [chunk.readUInt16LE(2), chunk.readUInt32LE(4), chunk.readUInt16LE(14)];
  if (bits !== 16 || channels === 0 || sampleRate === 0)
    throw new RangeError('The WAV file is not 16-bit PCM');
  return { channels, sampleRate };
}

function mix(data: Buffer, channels: number): Float32Array {
  const samples = new Float32Array(Math.floor(data.length / 2 / channels));
  for (let index = 0; index < samples.length; index += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1)
      sum += data.readInt16LE((index * channels + channel) * 2);
    samples[index] = sum / channels / 32_768;
  }
  return samples;
}
