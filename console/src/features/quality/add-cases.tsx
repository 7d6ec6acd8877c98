import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Lightbulb, Upload } from 'lucide-react';
import { useRef } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../components/ui/button.tsx';
import { toastError, toastSuccess } from '../../components/ui/toast.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { decodeTextFile } from '../../lib/text-file.ts';
import { caseMessages } from './cases.messages.ts';

/** Adds cases from a CSV, or those that Parley proposes. */
export function AddCases({ botId }: { botId: string }) {
  const t = useMessages(caseMessages);
  const { number } = useFormats();
  const queries = useQueryClient();
  const chooser = useRef<HTMLInputElement>(null);
  const refresh = () => queries.invalidateQueries({ queryKey: ['bots', 'cases', botId] });
  const propose = useMutation({
    mutationFn: () => api.proposeCases({ id: botId }),
    async onSuccess({ proposed }) {
      toastSuccess(t.proposed(proposed, number(proposed)));
      await refresh();
    },
    onError: toastError,
  });
  const load = useMutation({
    async mutationFn(file: File) {
      const csv = decodeTextFile(new Uint8Array(await file.arrayBuffer()));
      if (csv === null) throw new Error(t.noTable);
      return api.importCases({ id: botId, csv });
    },
    async onSuccess({ imported, refused: [first, ...others] }) {
      await refresh();
      toastSuccess(t.imported(imported, number(imported)));
      if (first !== undefined)
        toastError(t.refusedRows(number(first.row), first.message, number(others.length + 1)));
    },
    onError: toastError,
  });
  const isBusy = propose.isPending || load.isPending;
  return (
    <>
      <input
        ref={chooser}
        type="file"
        accept=".csv,text/csv"
        hidden
        aria-label={t.importCases}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // The same file can be chosen again.
          target.value = '';
          if (file !== undefined) load.mutate(file);
        }}
      />
      <Button size="small" disabled={isBusy} onClick={() => chooser.current?.click()}>
        <Upload aria-hidden className="size-4" />
        {t.importCases}
      </Button>
      <Button size="small" disabled={isBusy} title={t.proposeHint} onClick={() => propose.mutate()}>
        <Lightbulb aria-hidden className="size-4" />
        {t.propose}
      </Button>
    </>
  );
}
