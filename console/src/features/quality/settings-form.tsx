import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { issuesOf } from '../../api/client.ts';
import type { Operation } from '../../app/may-call.ts';
import { useMay } from '../../app/use-may.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';

/** Settings of a bot that are saved together. Those who may not call the operation see them disabled. */
export function SettingsForm({
  operation,
  save,
  queryKey,
  saveLabel,
  savedText,
  isComplete = true,
  children,
}: {
  operation: Operation;
  save: () => Promise<unknown>;
  /** Of the query that reads the settings. */
  queryKey: QueryKey;
  saveLabel: string;
  savedText: string;
  isComplete?: boolean;
  children: (form: { issues: Readonly<Record<string, string>>; disabled: boolean }) => ReactNode;
}) {
  const mayChange = useMay()(operation);
  const queries = useQueryClient();
  const saving = useMutation({
    mutationFn: save,
    async onSuccess() {
      toastSuccess(savedText);
      await queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <fieldset disabled={!mayChange} className="grid gap-4">
        {children({ issues: issuesOf(saving.error), disabled: !mayChange })}
      </fieldset>
      {saving.error !== null && <ErrorNotice error={saving.error} />}
      {mayChange && (
        <div>
          <Button type="submit" busy={saving.isPending} disabled={!isComplete}>
            {saveLabel}
          </Button>
        </div>
      )}
    </form>
  );
}
