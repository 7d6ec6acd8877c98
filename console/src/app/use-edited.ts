import { isParleyError } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { findEdits, isSame, keepEdits } from '../lib/edits.ts';
import { dropDraft, readDraft, writeDraft } from './drafts.ts';

interface Item {
  updated_at: string | null;
}

interface Options<Of extends Item, Values extends object> {
  /** Names the object among the drafts. */
  object: string;
  item: Of;
  toValues: (item: Of) => Values;
  save: (values: Values, expected: Of['updated_at']) => Promise<unknown>;
  /** Reads the object again. */
  reload: () => Promise<Of>;
  onSaved: () => void;
  /** Leaves out secrets, which no draft may contain. */
  withoutSecrets?: (values: Values) => Values;
  /** Puts back the secrets that the object has. */
  withSecrets?: (values: Values, item: Of) => Values;
}

interface StoredEdits<Of extends Item, Values> {
  edits: Partial<Values>;
  expected: Of['updated_at'];
}

interface State<Of extends Item, Values> {
  values: Values;
  /** The object that the values are based on. */
  base: Of;
  /** Older than `base` if the values come from a draft of an older object. */
  expected: Of['updated_at'];
  restoredAt: string | null;
}

const same = <Values>(values: Values): Values => values;

/**
 * The values of a form that edits an object. They follow the object until the user changes them. Then they survive a reload, and saving
 * them does not overwrite what somebody else saved meanwhile: `conflict` is that newer object.
 */
export function useEdited<Of extends Item, Values extends object>({
  object,
  item,
  toValues,
  save,
  reload,
  onSaved,
  withoutSecrets = same,
  withSecrets = same,
}: Options<Of, Values>) {
  const [state, setState] = useState<State<Of, Values>>(() => {
    const fresh = { values: toValues(item), base: item, expected: item.updated_at, restoredAt: null };
    const draft = readDraft<StoredEdits<Of, Values>>(object);
    if (draft === null) return fresh;
    const { edits, expected } = draft.content;
    return {
      ...fresh,
      values: withSecrets({ ...fresh.values, ...edits }, item),
      expected,
      restoredAt: draft.at,
    };
  });
  const [conflict, setConflict] = useState<Of | null>(null);
  const { values, base, expected, restoredAt } = state;
  const before = toValues(base);
  const isEdited = !isSame(values, before);
  const isUnchanged = (fresh: Of) => expected === base.updated_at && isSame(toValues(fresh), before);
  const isNewer = (item.updated_at ?? '') > (base.updated_at ?? '');
  if (isNewer && (!isEdited || isUnchanged(item)))
    setState({ ...state, values: isEdited ? values : toValues(item), base: item, expected: item.updated_at });
  const hasDraft = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another form of the object may have the draft, which only an edit replaces
  useEffect(() => {
    if (isEdited) {
      const edits = findEdits(withoutSecrets(values), withoutSecrets(before));
      writeDraft(object, { edits, expected });
    } else if (hasDraft.current) dropDraft(object);
    hasDraft.current = isEdited;
  }, [object, isEdited, values, expected]);
  /** Continues from `fresh`. Keeps the edits that were made after the values were `since`. */
  const rebase = (fresh: Of, since: Values) => {
    setConflict(null);
    setState((old) => ({
      values: keepEdits(old.values, since, toValues(fresh)),
      base: fresh,
      expected: fresh.updated_at,
      restoredAt: null,
    }));
  };
  const saving = useMutation({
    async mutationFn(sent: { values: Values; expected: Of['updated_at'] }) {
      try {
        await save(sent.values, sent.expected);
      } catch (error) {
        if (!isParleyError(error, 'changed_meanwhile')) throw error;
        const fresh = await reload();
        // Nothing that this form shows.
        if (isUnchanged(fresh)) await save(sent.values, fresh.updated_at);
        else {
          setConflict(fresh);
          throw error;
        }
      }
    },
    async onSuccess(_, sent) {
      const fresh = await reload();
      // The form may close before it is rendered again.
      dropDraft(object);
      rebase(fresh, sent.values);
      onSaved();
    },
  });
  const merged = conflict === null ? values : keepEdits(values, before, toValues(conflict));
  return {
    values,
    change: (changes: Partial<Values>) =>
      setState((old) => ({ ...old, values: { ...old.values, ...changes } })),
    isEdited,
    restoredAt: isEdited ? restoredAt : null,
    discard() {
      dropDraft(object);
      rebase(item, values);
    },
    /** Shows what the service stores now, with the edits made after the values were `since`. */
    refresh: async (since: Values = values) => rebase(await reload(), since),
    save: () => saving.mutate({ values, expected }),
    isSaving: saving.isPending,
    /** Null while `conflict` explains it. */
    error: conflict === null ? saving.error : null,
    conflict: conflict && {
      yours: merged,
      theirs: toValues(conflict),
      keepMine() {
        rebase(conflict, before);
        saving.mutate({ values: merged, expected: conflict.updated_at });
      },
      takeTheirs() {
        saving.reset();
        rebase(conflict, values);
      },
    },
  };
}
