import type { Protocol } from './protocol.ts';

const supportedFiles = /\.(flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/;

/** OpenAI's speech and transcription endpoints. */
export const speech: Protocol = {
  readModel: (path, body) => (/\/audio\/(speech|transcriptions)$/.test(path) ? body.model : null),
  refuse(_headers, { input, bytes, file }) {
    if (typeof input === 'string') return input === '' ? 'input is required' : null;
    if (!(bytes > 0)) return 'file is required';
    return supportedFiles.test(file.name) ? null : `Unsupported file format ${file.name}`;
  },
  writeReply: ({ audio, text = '' }) => (audio === undefined ? { text } : Buffer.from(audio, 'base64')),
  writeError: ({ code, message }) => ({ error: { message, type: code, code, param: null } }),
};
