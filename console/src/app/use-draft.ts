import { useEffect, useRef, useState } from 'react';
import { dropDraft, readDraft, writeDraft } from './drafts.ts';

/** The text of a new message or note, which survives a reload until it is sent. `object` names what it is for. */
export function useDraft(object: string) {
  const [draft] = useState(() => readDraft<string>(object));
  const [text, setText] = useState(draft?.content ?? '');
  const hasDraft = useRef(false);
  useEffect(() => {
    // Another form for the same object may have the draft.
    if (text === '' && hasDraft.current) dropDraft(object);
    hasDraft.current = text !== '';
    if (text !== '') writeDraft(object, text);
  }, [object, text]);
  return { text, setText, restoredAt: text === draft?.content ? draft.at : null };
}
