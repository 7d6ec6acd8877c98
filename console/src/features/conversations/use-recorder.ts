import { useEffect, useRef, useState } from 'react';

/** A voice note ends by itself after this many seconds. */
const mostSeconds = 600;

/** The service puts Opus into the format of voice notes. */
const types = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus'];
const findType = () => types.find((type) => MediaRecorder.isTypeSupported(type));

interface Recording {
  recorder: MediaRecorder;
  stream: MediaStream;
}

/** Records speech. */
export function useRecorder(onRecorded: (file: File) => void, onError: (error: unknown) => void) {
  const current = useRef<Recording | null>(null);
  const [seconds, setSeconds] = useState<number | null>(null);
  const [busy, setBusy] = useState(false);
  const isOn = seconds !== null;
  const end = () => {
    const { recorder, stream } = current.current ?? {};
    current.current = null;
    setSeconds(null);
    if (recorder?.state === 'recording') recorder.stop();
    for (const track of stream?.getTracks() ?? []) track.stop();
  };
  const discard = () => {
    if (current.current !== null) current.current.recorder.onstop = null;
    end();
  };
  // Leaving the conversation discards the recording.
  const leave = useRef(discard);
  leave.current = discard;
  useEffect(() => () => leave.current(), []);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => setSeconds((passed) => (passed ?? 0) + 1), 1000);
    return () => clearInterval(timer);
  }, [isOn]);
  const finish = useRef(end);
  finish.current = end;
  useEffect(() => {
    if (seconds === mostSeconds) finish.current();
  }, [seconds]);

  const start = async () => {
    setBusy(true);
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const mimeType = findType();
      const recorder = new MediaRecorder(stream, mimeType === undefined ? {} : { mimeType });
      const chunks: Blob[] = [];
      recorder.ondataavailable = ({ data }) => void chunks.push(data);
      recorder.onstop = () => onRecorded(new File(chunks, 'voice', { type: recorder.mimeType }));
      current.current = { recorder, stream };
      recorder.start();
      setSeconds(0);
    } catch (error) {
      onError(error);
    } finally {
      setBusy(false);
    }
  };
  return { seconds, busy, start, finish: end, discard };
}

export const canRecord = (): boolean =>
  typeof MediaRecorder !== 'undefined' &&
  findType() !== undefined &&
  navigator.mediaDevices?.getUserMedia !== undefined;
