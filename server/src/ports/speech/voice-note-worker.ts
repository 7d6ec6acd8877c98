import { parentPort, workerData } from 'node:worker_threads';
import { Application, createDecoder, createEncoder } from 'libopus-wasm';
import { isOggOpus, markAsGenerated, readPackets, writeOggOpus } from './ogg-opus.ts';
import type { SpokenText } from './speech.ts';
import { isWav, readWav, type Sound } from './wav.ts';

const sampleRate = 48_000;
const waveformValues = 64;

/** A worker thread: receives the speech as `workerData` and posts a voice note. */
parentPort?.postMessage(await toVoiceNote(workerData as Uint8Array));

async function toVoiceNote(bytes: Uint8Array): Promise<SpokenText> {
  if (isOggOpus(bytes)) return describe(markAsGenerated(bytes), await decode(readPackets(bytes)));
  if (!isWav(bytes)) throw new TypeError('The speech provider returned neither Ogg Opus nor WAV');
  const samples = resample(readWav(bytes));
  return describe(await encode(samples), samples);
}

function describe(bytes: Uint8Array, samples: Float32Array): SpokenText {
  return { bytes, seconds: samples.length / sampleRate, waveform: toWaveform(samples) };
}

async function decode(packets: readonly Uint8Array[]): Promise<Float32Array> {
  const decoder = await createDecoder({ sampleRate, channels: 1 });
  const frames = decoder.decodeFloatFrames(packets);
  const samples = new Float32Array(frames.reduce((sum, { length }) => sum + length, 0));
  let position = 0;
  for (const frame of frames) {
    samples.set(frame, position);
    position += frame.length;
  }
  return samples;
}

async function encode(samples: Float32Array): Promise<Uint8Array> {
  const encoder = await createEncoder({
    sampleRate,
    channels: 1,
    application: Application.Voip,
    bitrate: 32_000,
  });
  const { frameSize } = encoder;
  const frames = Array.from({ length: Math.ceil(samples.length / frameSize) }, (_, index) => {
    const frame = new Float32Array(frameSize);
    frame.set(samples.subarray(index * frameSize, (index + 1) * frameSize));
    return frame;
  });
  return writeOggOpus(encoder.encodeFloatFrames(frames), frameSize);
}

/** Interpolates, which suffices for speech. */
function resample(sound: Sound): Float32Array {
  const step = sound.sampleRate / sampleRate;
  const resampled = new Float32Array(Math.floor(sound.samples.length / step));
  for (let index = 0; index < resampled.length; index += 1) {
    const position = index * step;
    const before = Math.floor(position);
    const left = sound.samples[before] ?? 0;
    const right = sound.samples[before + 1] ?? left;
    resampled[index] = left + (right - left) * (position - before);
  }
  return resampled;
}

/** Mean loudness of equal parts, from 0 to 100, relative to the loudest. */
function toWaveform(samples: Float32Array): Uint8Array {
  const width = Math.max(1, samples.length / waveformValues);
  const loudness = Array.from({ length: waveformValues }, (_, index) => {
    const part = samples.subarray(Math.floor(index * width), Math.floor((index + 1) * width));
    return part.reduce((sum, sample) => sum + Math.abs(sample), 0) / Math.max(1, part.length);
  });
  const loudest = Math.max(...loudness, Number.EPSILON);
  return Uint8Array.from(loudness, (value) => Math.round((value / loudest) * 100));
}
