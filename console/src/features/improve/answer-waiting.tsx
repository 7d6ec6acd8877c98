import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Reply } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { attentionQuery } from '../../app/attention.ts';
import { useMay } from '../../app/use-may.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Button } from '../../components/ui/button.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { waitingMessages } from './waiting.messages.ts';

const waitingQuery = (botId: string) =>
  queryOptions({
    queryKey: ['bots', 'waiting', botId],
    queryFn: ({ signal }) => api.getWaiting({ id: botId }, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.running ? 2_000 : false),
  });

/** Lets a bot answer all that waits, after saying how much that is. Shows nothing while nothing waits. */
export function AnswerWaiting({ bot }: { bot: { id: string; name?: string } }) {
  const t = useMessages(waitingMessages);
  const { number } = useFormats();
  const queries = useQueryClient();
  const may = useMay();
  const [asked, setAsked] = useState(false);
  const { data } = useQuery({ ...waitingQuery(bot.id), enabled: may('getWaiting') });
  const isDone = useRunEnd(data?.running ?? false);
  if (data === undefined || (data.waiting === 0 && !data.running && !isDone)) return null;
  const { waiting, answering, running } = data;
  const run = async () => {
    queries.setQueryData(waitingQuery(bot.id).queryKey, await api.answerWaiting({ id: bot.id }));
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-xl border bg-card px-4 py-3">
      <p role="status" className="min-w-0 wrap-anywhere">
        {bot.name !== undefined && t.ofBot(bot.name)}
        {running
          ? t.running(number(waiting + answering))
          : waiting === 0
            ? t.done
            : t.waiting(waiting, number(waiting))}
      </p>
      {!running && waiting > 0 && may('answerWaiting') && (
        <Button size="small" onClick={() => setAsked(true)}>
          <Reply aria-hidden className="size-4" />
          {t.answerAll}
        </Button>
      )}
      <ConfirmDialog
        open={asked}
        onOpenChange={setAsked}
        title={t.title(waiting, number(waiting))}
        consequences={Object.values(t.effects)}
        action={t.answerAll}
        onConfirm={run}
        danger={false}
      />
    </div>
  );
}

/** Reads the lists again when a run ends, and returns whether one has ended. */
function useRunEnd(running: boolean): boolean {
  const queries = useQueryClient();
  const [isDone, setIsDone] = useState(false);
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && !running) {
      setIsDone(true);
      void queries.invalidateQueries({ queryKey: ['conversations'] });
      void queries.invalidateQueries({ queryKey: attentionQuery.queryKey });
    }
    wasRunning.current = running;
  }, [running, queries]);
  return isDone;
}
