import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { createUploader } from '../../api/upload.ts';

export interface Upload {
  id: number;
  name: string;
  /** From 0 to 1. At 1, the service reads the text. */
  sent: number;
  state: 'queued' | 'running' | 'done' | 'failed';
  error?: unknown;
  /** Of the new document. */
  documentId?: string;
  /** An older document that is nearly the same. */
  older?: { id: string; name: string };
}

/** Uploads files one after the other, because the service reads one document of a team at a time. */
export function useUploads(onUploaded: (id: string) => void = () => undefined) {
  const queries = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const nextId = useRef(1);
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const latest = useRef(onUploaded);
  useEffect(() => {
    latest.current = onUploaded;
  });
  const change = useCallback((id: number, changes: Partial<Upload>) => {
    setUploads((all) => all.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)));
  }, []);
  const add = useCallback(
    (teamId: string, files: readonly File[]) => {
      for (const file of files) {
        const id = nextId.current++;
        setUploads((all) => [...all, { id, name: file.name, sent: 0, state: 'queued' }]);
        last.current = last.current.then(async () => {
          change(id, { state: 'running' });
          try {
            const report = (sent: number) => change(id, { sent });
            const { id: documentId, similar_documents: similar } = await createUploader(
              report,
            ).uploadDocument({ team_id: teamId, file });
            latest.current(documentId);
            const [older] = similar ?? [];
            change(id, { state: 'done', documentId, ...(older === undefined ? {} : { older }) });
            await queries.invalidateQueries({ queryKey: ['documents'] });
            await queries.invalidateQueries({ queryKey: ['teams', 'usage'] });
          } catch (error) {
            change(id, { state: 'failed', error });
          }
        });
      }
    },
    [change, queries],
  );
  const dismiss = useCallback(
    (id: number) => setUploads((all) => all.filter((upload) => upload.id !== id)),
    [],
  );
  return { uploads, add, dismiss };
}
